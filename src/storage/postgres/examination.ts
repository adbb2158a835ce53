// Has every newly found server examined once, before any connection to it is used.

import { isForbidden } from "./faults.ts";
import type { ExamineServer, FoundServer } from "./lineage.ts";
import type { ServerPool, Session } from "./pool.ts";

interface Examination {
  /** Without it, servers are used unexamined. */
  begin(examine: ExamineServer): void;
  isDone(pool: ServerPool, session: Session): boolean;
  /** Waits for the examination that runs if there is one. */
  run(pool: ServerPool, server: FoundServer): Promise<void>;
}

export function createExamination(): Examination {
  let examine: ExamineServer | undefined;
  const running = new Map<string, Promise<void>>();

  async function start(pool: ServerPool, server: FoundServer): Promise<void> {
    try {
      await examine?.(server).catch((error) => {
        // A command that only reads may have a role with few rights.
        if (!isForbidden(error)) throw error;
      });
      pool.examined.add(server.instance);
    } finally {
      running.delete(server.instance);
    }
  }

  return {
    begin(given) {
      examine = given;
    },
    // Nothing is written through a read-only session.
    isDone: (pool, { instance, isReadOnly }) =>
      examine === undefined || isReadOnly || pool.examined.has(instance),
    run(pool, server) {
      const { instance } = server;
      const own = running.get(instance) ?? start(pool, server);
      running.set(instance, own);
      return own;
    },
  };
}
