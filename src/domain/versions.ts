// Versions of the data, and the nodes that serve it, as a gate needs them from storage.

export interface StoredVersions {
  /** Random; another one since `restore`, `copy`, or a database that went back in time. */
  epoch: string;
  /** The number of the newest record in the history. */
  pets: number;
  /** Rises with every change of a key. */
  keys: number;
}

export interface KeyVersion {
  id: bigint;
  version: number;
}

export interface VersionStore {
  read(): Promise<StoredVersions>;
  /** Keys that changed after `version`, by version, rising; at most `limit`. */
  listChangedKeys(version: number, limit: number): Promise<KeyVersion[]>;
  /** Replaces `epoch`; does nothing when another node has replaced it already. */
  renewEpoch(epoch: string): Promise<void>;
}

export interface NodeStore {
  /** Registers the node or renews its registration. Resolves to the number of nodes, this one included. */
  beat(nodeId: string): Promise<number>;
  leave(nodeId: string): Promise<void>;
}
