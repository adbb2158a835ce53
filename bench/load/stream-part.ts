// The part that measures a node with open event streams: its lanes and its rate of changes.

/** The same node with the same changes, without streams and with them. */
export const STREAM_LANES = { without: "without streams", with: "with streams" } as const;

export const CHANGES_PER_SECOND = 100;

/** Memory is compared with that after this part of a round, when all streams and connections have their buffers. */
export const SETTLED_PART = 1 / 6;
