// Bodies of imports: a file of limited size, written to disk as it arrives, never as a whole in memory.

import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import type { ImportRequest } from "../../domain/animals/animal-import.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { IMPORT_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { withFile, withTemporaryFiles } from "../../files/atomic-file.ts";
import { createTemporaryFolder } from "../../files/temporary-folder.ts";
import { reasonOf } from "../../files/write-errors.ts";
import { NDJSON_TYPE } from "../headers/common-headers.ts";
import { announcedBytes, checkBodyHeaders, receiveBody, type UploadTimes } from "./receive-body.ts";
import { createUploadBudget, type UploadBytes } from "./upload-budget.ts";

export const IMPORT_TYPES = {
  "text/csv": "csv",
  "text/tab-separated-values": "tsv",
  [NDJSON_TYPE]: "ndjson",
} as const satisfies Record<string, ImportRequest["format"]>;

/** Files that are received or imported: eight of the largest, or many usual ones. One key gets 50 %. */
const DISK_BYTES_MAX = 8 * IMPORT_BYTES_MAX;
/** Reserved by every upload, which bounds the number of open files. */
const BYTES_MIN = 1024 * 1024;
const RETRY_AFTER_SECONDS = { busy: 2, unwritable: 60 };
const TYPES = Object.keys(IMPORT_TYPES);
const [CSV, TSV, NDJSON] = TYPES;
const FILE_WANTED = `Send the header Content-Type: ${CSV}, ${TSV} or ${NDJSON}, and the file itself as the body, not a form, without Content-Encoding.`;
const LIMITS = {
  bytesMax: IMPORT_BYTES_MAX,
  tooLarge: `The file is larger than ${IMPORT_BYTES_MAX / 1024 / 1024} MiB. Send it in parts, each with the heading line, or use the import command.`,
};
const CHARSET = "charset=";

interface FileHeaders {
  format: ImportRequest["format"];
  charset: string | undefined;
}

/** Throws `unsupported_media_type`, `body_too_large`. */
export function readFileHeaders(request: FastifyRequest): FileHeaders {
  const parts = checkBodyHeaders(request, { ...LIMITS, types: TYPES, wanted: FILE_WANTED });
  const charset = parts.find((each) => each.startsWith(CHARSET))?.slice(CHARSET.length);
  const format = IMPORT_TYPES[parts[0] as keyof typeof IMPORT_TYPES];
  return { format, charset: charset?.replaceAll('"', "") };
}

/** Receives the body and runs `work` with the path of its file, which is deleted afterwards. */
export type ReceiveFile = <T>(request: FastifyRequest, work: (path: string) => Promise<T>) => Promise<T>;

/** `folder` is where temporary files are created. */
export function createFileReceiver(folder: string, times: UploadTimes): ReceiveFile {
  const openDisk = createUploadBudget(DISK_BYTES_MAX);

  return async (request, work) => {
    const disk = openDisk((request.apiKey as ApiKey).id);
    try {
      if (!disk.canHold(announcedBytes(request) ?? 0) || !disk.grow(BYTES_MIN)) throw busy();
      // Before the folder exists: from now on receive-body.ts limits the time.
      if (request.socket.pipeline !== undefined) request.socket.pipeline.isUploading = true;
      const own = await createTemporaryFolder(folder).catch((cause) => {
        throw unwritable(folder, cause);
      });
      return await withTemporaryFiles([own], async () => {
        const path = join(own, "file");
        await receiveFile(request, path, { times, disk });
        return work(path);
      });
    } finally {
      disk.release();
    }
  };
}

async function receiveFile(
  request: FastifyRequest,
  path: string,
  { times, disk }: { times: UploadTimes; disk: UploadBytes },
): Promise<void> {
  let received = 0;
  await withFile(path, "w", (file) =>
    receiveBody(request, { ...times, ...LIMITS }, (chunk) => {
      received += chunk.length;
      if (!disk.grow(Math.max(received, BYTES_MIN))) throw busy();
      return file.appendFile(chunk).catch((cause) => {
        throw unwritable(path, cause);
      });
    }),
  );
}

function busy(): ServiceError {
  const message = "Too many files are being imported. Send this one again after a short wait.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy });
}

/** The log shows the cause, with the path. */
function unwritable(path: string, cause: Error): ServiceError {
  const shown = `An uploaded file cannot be written to ${path}: ${reasonOf(cause)}. Make room there, and check its rights.`;
  return new ServiceError("unavailable", {
    message: "The service has no room for files at the moment. Try again later.",
    retryAfterSeconds: RETRY_AFTER_SECONDS.unwritable,
    cause: new Error(shown, { cause }),
  });
}
