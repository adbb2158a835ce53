// Number of nodes that share the limits while Redis is away: each renews a row in the database every second.

import { randomUUID } from "node:crypto";
import type { NodeStore } from "../../domain/basics/versions.ts";
import { repeat } from "../../tools/repeat.ts";

const EVERY_MS = 1_000;

export interface NodeCount {
  /** At the last heartbeat, this node included. */
  nodes(): number;
  close(): Promise<void>;
}

/** Resolves when the other nodes can see this one. */
export async function startNodeCount(
  store: NodeStore,
  onError: (error: unknown) => void,
): Promise<NodeCount> {
  const nodeId = randomUUID();
  let nodes = 0;
  const beat = async () => {
    nodes = await store.beat(nodeId);
  };
  await beat();
  const beats = repeat(EVERY_MS, beat, onError);

  return {
    nodes: () => nodes,
    async close() {
      await beats.stop();
      // A row that stays, as after a kill, counts for 5 s.
      await store.leave(nodeId).catch(onError);
    },
  };
}
