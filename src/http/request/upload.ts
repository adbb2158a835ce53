// Bodies of uploads: an image of limited size, read into memory that is limited for all uploads together.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { IMAGE_BYTES_MAX, IMAGE_TYPES } from "../../domain/photo-limits.ts";
import { endConnection } from "../response/common-headers.ts";
import type { ServerTimeouts } from "../services.ts";
import { unsupportedType } from "./media-type.ts";

/** Of all uploads that are received or processed: eight of the largest, or many usual ones. */
const MEMORY_MAX = 8 * IMAGE_BYTES_MAX;
/**
 * The slowest upload that may take longer than other requests: half a megabit per second, which slow mobile networks reach.
 * A client that sends single bytes gets no more time than any other.
 */
const BYTES_PER_MS_MIN = 64;
/** Each costs some microseconds. Honest clients send at least a kilobyte at a time. */
const CHUNKS_MAX = 100_000;
const RETRY_AFTER_SECONDS = 2;
const BLOCK = 64 * 1024;
const IMAGE_WANTED = `Send the header Content-Type: ${IMAGE_TYPES.slice(0, -1).join(", ")} or ${IMAGE_TYPES.at(-1)}, and the image itself as the body, not a form, without Content-Encoding.`;
const LARGE = `The image is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB.`;

const SCATTERED = "The body has too many small chunks.";

export interface UploadOptions extends Pick<ServerTimeouts, "requestMs" | "checkEveryMs"> {
  memoryMax?: number;
}

/** Reads the body of a request into `request.upload`. `done` gets the error of a body that is not accepted. */
export type ReadUpload = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

export function createUploadReader({ memoryMax = MEMORY_MAX, ...times }: UploadOptions): ReadUpload {
  let reserved = 0;

  return (request, reply, done) => {
    const bytes = sizeOf(request.raw);
    // The rest of a refused upload is not read; lingering-close.ts makes sure that the client gets the response.
    const refuse = (error: Error) => {
      endConnection(request, reply);
      done(error);
    };
    if (reserved + bytes > memoryMax) return refuse(busy());
    reserved += bytes;
    // Until the end of the response: the image is in memory as long as it is processed.
    reply.raw.once("close", () => {
      reserved -= bytes;
    });
    const { pipeline } = request.socket;
    if (pipeline !== undefined) pipeline.isUploading = true;
    receive(request.raw, times, (error, upload) => {
      if (pipeline !== undefined) pipeline.isUploading = false;
      if (upload === undefined) return refuse(error as Error);
      request.upload = upload.bytes;
      request.fingerprint = upload.digest;
      done();
    });
  };
}

/** Throws `unsupported_media_type`, `body_too_large`. */
export function checkUploadHeaders({ headers }: FastifyRequest): void {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!IMAGE_TYPES.some((each) => each === type) || headers["content-encoding"] !== undefined)
    throw unsupportedType(headers, IMAGE_WANTED);
  if (Number(headers["content-length"] ?? 0) > IMAGE_BYTES_MAX) throw tooLarge();
}

/** The bytes that an upload may need in memory: all that it may have if it does not say how many. */
function sizeOf({ headers }: IncomingMessage): number {
  const length = headers["content-length"];
  return length === undefined ? IMAGE_BYTES_MAX : Number(length);
}

interface Upload {
  bytes: Buffer;
  /** SHA-256. Computed block by block: for 12 MiB at once, other requests would wait. */
  digest: Buffer;
}

function receive(
  raw: IncomingMessage,
  { requestMs, checkEveryMs }: UploadOptions,
  end: (error: Error | undefined, upload?: Upload) => void,
): void {
  const startMs = performance.now();
  const hash = createHash("sha256");
  // One buffer and not a list of chunks, which would be copied as a whole at the end, while other requests wait.
  let buffer: Buffer = Buffer.allocUnsafeSlow(
    raw.headers["content-length"] === undefined ? BLOCK : sizeOf(raw),
  );
  let received = 0;
  let chunks = 0;
  let hashed = 0;

  const take = (chunk: Buffer) => {
    const start = received;
    received += chunk.length;
    chunks += 1;
    if (received > IMAGE_BYTES_MAX) return finish(tooLarge());
    if (chunks > CHUNKS_MAX) return finish(new ServiceError("bad_request", { message: SCATTERED }));
    if (received > buffer.length) buffer = enlarge(buffer, received);
    chunk.copy(buffer, start);
    if (received - hashed >= BLOCK) hashBlock();
  };
  const hashBlock = () => {
    hash.update(buffer.subarray(hashed, received));
    hashed = received;
  };
  const checkTime = () => {
    const lateMs = performance.now() - startMs - requestMs - received / BYTES_PER_MS_MIN;
    if (lateMs > 0) finish(new ServiceError("request_timeout"));
  };
  const finish = (error?: Error) => {
    clearInterval(timer);
    raw.off("data", take).off("end", complete).off("error", finish);
    if (error !== undefined) return end(error);
    hashBlock();
    end(undefined, { bytes: buffer.subarray(0, received), digest: hash.digest() });
  };
  const complete = () => finish();
  const timer = setInterval(checkTime, checkEveryMs);
  raw.on("data", take).on("end", complete).on("error", finish);
}

function enlarge(buffer: Buffer, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(IMAGE_BYTES_MAX, Math.max(bytes, buffer.length * 2)));
  buffer.copy(larger);
  return larger;
}

function busy(): ServiceError {
  const message = "Too many photos are being uploaded. Send this one again after a short wait.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooLarge(): ServiceError {
  return new ServiceError("body_too_large", { message: LARGE });
}
