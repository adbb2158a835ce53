// The part that measures the hot list while photos are uploaded.

/** The same node, without uploads and with them. */
export const UPLOAD_LANES = { without: "without uploads", with: "with uploads" } as const;

/** As many as a node processes at a time. */
export const UPLOADERS = 2;
