// Files that are uploaded: their media type, and the time that they need.

/**
 * A file to upload: a `Blob`, such as a `File` of a form, or its bytes.
 *
 * @example
 * const file: UploadFile = new Blob([new Uint8Array([0xff, 0xd8, 0xff])], { type: "image/jpeg" });
 * const photo = await client.addPhoto(1, file, { alt: "Rex runs across a meadow" });
 */
export type UploadFile = Blob | Uint8Array;

/** First bytes of the image types. The service looks at the content itself, but requires one of these types. */
const TYPES: Record<number, string> = { 255: "image/jpeg", 137: "image/png", 82: "image/webp" };
const OTHER = "image/jpeg";

const CSV = "text/csv";
const TSV = "text/tab-separated-values";
const NDJSON = "application/x-ndjson";
/** By the end of the file's name. Browsers give CSV the type of a spreadsheet on some systems. */
const ENDINGS: Record<string, string> = { tsv: TSV, tab: TSV, ndjson: NDJSON, jsonl: NDJSON };

/** The service gives an upload one millisecond more for each 64 bytes. */
const BYTES_PER_MS = 64;

export function typeOfFile(file: UploadFile): string {
  if (!(file instanceof Uint8Array)) return file.type === "" ? OTHER : file.type;
  return TYPES[file[0] ?? 0] ?? OTHER;
}

/** The type of a file with animals: CSV if nothing says otherwise. */
export function typeOfImport(file: UploadFile): string {
  const { type = "", name = "" } = file as { type?: string; name?: string };
  const [essence = ""] = type.split(";");
  if ([CSV, TSV, NDJSON].includes(essence.trim())) return type;
  return ENDINGS[name.toLowerCase().split(".").pop() ?? ""] ?? CSV;
}

/** How long the service may let an image or a file wait, and process it. */
const PROCESSING_MS = 20_000;

/** In addition to the time of every attempt. */
export function uploadMs(file: UploadFile): number {
  const bytes = file instanceof Uint8Array ? file.byteLength : file.size;
  return PROCESSING_MS + Math.ceil(bytes / BYTES_PER_MS);
}
