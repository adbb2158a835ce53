// The store interfaces that a gate needs: versions of the data, and the nodes that serve it.

export interface StoredVersions {
  /** Random; renewed by `restore`, by `copy`, and when the database has gone back in time. */
  epoch: string;
  /** The number of the newest record in the history. */
  pets: number;
  /** Increases with every change of a key. */
  keys: number;
}

export interface KeyVersion {
  id: bigint;
  version: number;
}

export interface VersionStore {
  read(): Promise<StoredVersions>;
  /** At most `limit` keys that changed after `version`, in ascending order of version. */
  listChangedKeys(version: number, limit: number): Promise<KeyVersion[]>;
  /** Replaces `epoch`; does nothing if another node has replaced it already. */
  renewEpoch(epoch: string): Promise<void>;
}

export interface NodeStore {
  /** Registers the node or renews its registration. Resolves to the number of nodes, this one included. */
  beat(nodeId: string): Promise<number>;
  leave(nodeId: string): Promise<void>;
}
