// Compares every newly found server with the highest versions that were recorded before: a standby that was promoted may
// lack the newest changes. If it does, the numbers of the history begin a new epoch before they are assigned again.

import type { StoredVersions } from "../../domain/basics/versions.ts";
import type { Lineage, LineageListener, LostChanges, Transaction, Work } from "../database.ts";
import { NEWEST_NUMBER } from "../stores/animals/history.ts";
import { createEpoch } from "../stores/basics/versions.ts";

/** Runs a transaction on a connection to the server. */
type Transact = <T>(work: Work<T>) => Promise<T>;

export interface FoundServer {
  /** Identifies one run of a server. */
  instance: string;
  /** A pooler may have passed statements to the server before. */
  isPooled: boolean;
  transact: Transact;
}

/** Rejects if the server could not be compared. */
export type ExamineServer = (server: FoundServer) => Promise<void>;

interface Versions {
  pets: number;
  keys: number;
}

/** `start` is called with the function that examines servers, and resolves when the present one is examined. */
export function createLineage(start: (examine: ExamineServer) => Promise<void>): Lineage {
  let epoch: string | undefined;
  /** The highest versions of the epoch that this process has written or read. */
  let own: Versions = { pets: 0, keys: 0 };
  const examined = new Set<string>();
  /** Epochs that this process has seen end. Their numbers are never continued. */
  const ended = new Set<string>();

  /** Before the first comparison, every version comes from the server itself. */
  function note({ pets = 0, keys = 0 }: Partial<Versions>): void {
    if (epoch === undefined) return;
    own = { pets: Math.max(own.pets, pets), keys: Math.max(own.keys, keys) };
  }

  function adopt(stored: StoredVersions): void {
    if (epoch !== undefined && epoch !== stored.epoch) {
      ended.add(epoch);
      own = { pets: 0, keys: 0 };
    }
    epoch = stored.epoch;
    note(stored);
  }

  async function examine(server: FoundServer, listener: LineageListener): Promise<void> {
    const { instance, isPooled, transact } = server;
    // Before the server is read: other nodes may write to it while it is read, and publish.
    const known = { ...own, published: (await listener.readPublished()) ?? 0 };
    // The own versions may else include changes of this server.
    const isNew = !isPooled && !examined.has(instance);
    const { stored, isOther } = await transact(async (tx) => {
      const found = await readServer(tx, instance, isNew);
      const hasOtherEpoch = epoch !== undefined && found.stored.epoch !== epoch;
      const lost = hasOtherEpoch ? undefined : findLost(known, found);
      const isRenewed = lost !== undefined || ended.has(found.stored.epoch);
      if (isRenewed) found.stored.epoch = createEpoch();
      if (isRenewed || found.isFirst) await keepServer(tx, instance, found);
      if (lost !== undefined) listener.onLost(lost);
      return { stored: found.stored, isOther: hasOtherEpoch || isRenewed };
    });
    examined.add(instance);
    adopt(stored);
    if (isOther) listener.onRenewed(stored);
  }

  return {
    note,
    guard: (listener) => start((server) => examine(server, listener)),
  };
}

interface ServerVersions {
  stored: StoredVersions;
  /** The versions with which the server began to take writes. */
  first: Versions;
  /** Whether no node has compared it before. */
  isFirst: boolean;
}

/** Nodes that find a server at the same time read it one after another. */
async function readServer(tx: Transaction, instance: string, isNew: boolean): Promise<ServerVersions> {
  // The comparison must not wait for a standby. Every later write does, and then this one is there too.
  await tx.run("SET LOCAL synchronous_commit = local");
  const row = await tx.lock("SELECT epoch, keys_version, server, server_pets, server_keys FROM store");
  const newest = await tx.first(`SELECT ${NEWEST_NUMBER} AS pets`);
  const stored = { epoch: String(row?.epoch), pets: Number(newest?.pets), keys: Number(row?.keys_version) };
  const isFirst = row?.server !== instance;
  const first =
    isFirst || !isNew ? stored : { pets: Number(row?.server_pets), keys: Number(row?.server_keys) };
  return { stored, first, isFirst };
}

async function keepServer(
  tx: Transaction,
  instance: string,
  { stored, first }: ServerVersions,
): Promise<void> {
  const sql = "UPDATE store SET epoch = $1, server = $2, server_pets = $3, server_keys = $4";
  await tx.run(sql, [stored.epoch, instance, first.pets, first.keys]);
}

/**
 * Another node may have written under the lost numbers by now, so this node's versions are compared with those at the start.
 * The published ones may be of the server itself, but then it has them.
 */
function findLost(
  known: Versions & { published: number },
  { stored, first }: ServerVersions,
): LostChanges | undefined {
  const isPublishedLost = known.published > stored.pets;
  const highest = isPublishedLost ? Math.max(known.pets, known.published) : known.pets;
  const pets = highest > first.pets ? { from: first.pets + 1, to: highest } : undefined;
  const keys = known.keys > first.keys ? { from: first.keys + 1, to: known.keys } : undefined;
  return pets || keys ? { pets, keys } : undefined;
}
