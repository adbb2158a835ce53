// The file formats of import and export.

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
