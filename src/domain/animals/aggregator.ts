// Aggregators: sites that list the animals of many shelters. Each reads a file with columns of its own.

export const AGGREGATORS = ["petfinder", "adoptapet", "rescuegroups"] as const;
export type Aggregator = (typeof AGGREGATORS)[number];

export interface AggregatorFileRequest {
  aggregator: Aggregator;
  /** Undefined for the animals of all shelters. */
  shelterId: bigint | undefined;
  /** Leaves out animals that the file cannot express. */
  skip: boolean;
  /** Age groups depend on the day. */
  nowMs: number;
  /** Where the addresses of photos begin. */
  publicUrl: string;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
}

/**
 * Writes the file as of one moment. Without `skip`, rejects with `file_has_bad_rows` before the first text if there are animals
 * that the file cannot express. Rejects with the signal's reason when it is aborted.
 */
export type AggregatorFileWriter = (request: AggregatorFileRequest) => Promise<void>;
