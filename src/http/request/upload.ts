// Bodies of uploads: an image of limited size, read into memory that is reserved as the bytes arrive.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { IMAGE_BYTES_MAX, IMAGE_TYPES } from "../../domain/animals/photo-limits.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { endConnection } from "../headers/common-headers.ts";
import { unsupportedType } from "./body-faults.ts";
import { createUploadMemory, type UploadMemory } from "./upload-memory.ts";

/** Shared by all uploads that are received or processed: eight of the largest, or many usual ones. One key gets 50 %. */
const MEMORY_MAX = 8 * IMAGE_BYTES_MAX;
/**
 * The slowest upload that may take longer than other requests: 0.5 Mbit/s, which slow mobile networks reach.
 * A client that sends single bytes gets no more time than any other.
 */
const BYTES_PER_MS_MIN = 64;
/** Each costs some microseconds. Honest clients send at least a kilobyte at a time. */
const CHUNKS_MAX = 100_000;
const RETRY_AFTER_SECONDS = 2;
const BUFFER_BYTES_MIN = 64 * 1024;
const IMAGE_WANTED = `Send the header Content-Type: ${IMAGE_TYPES.slice(0, -1).join(", ")} or ${IMAGE_TYPES.at(-1)}, and the image itself as the body, not a form, without Content-Encoding.`;
const LARGE = `The image is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB.`;

const SCATTERED = "The body has too many small chunks.";

export interface UploadTimes {
  requestMs: number;
  checkEveryMs: number;
}

/** Reads the body of a request into `request.upload`. `done` gets the error of a body that is not accepted. */
export type ReadUpload = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

export function createUploadReader(times: UploadTimes): ReadUpload {
  const openMemory = createUploadMemory(MEMORY_MAX);

  return (request, reply, done) => {
    const memory = openMemory((request.apiKey as ApiKey).id);
    // Until the end of the response: the image is in memory as long as it is processed.
    reply.raw.once("close", memory.release);
    // The rest of a refused upload is not read; lingering-close.ts makes sure that the client gets the response.
    const refuse = (error: Error) => {
      memory.release();
      endConnection(request, reply);
      done(error);
    };
    const { "content-length": length } = request.headers;
    const announced = length === undefined ? undefined : Number(length);
    // Only memory in use counts: an upload that is announced and not sent takes none from others.
    if (!memory.canHold(announced ?? 0)) return refuse(busy());
    const { pipeline } = request.socket;
    if (pipeline !== undefined) pipeline.isUploading = true;
    receive(request.raw, { ...times, memory, bytesMax: announced ?? IMAGE_BYTES_MAX }, (error, received) => {
      if (pipeline !== undefined) pipeline.isUploading = false;
      if (received === undefined) return refuse(error as Error);
      request.upload = { use: (work) => memory.use(() => work(received.bytes)) };
      request.fingerprint = received.digest;
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

interface Received {
  bytes: Buffer;
  /** SHA-256. Computed as the bytes arrive: for 12 MiB at once, other requests would wait. */
  digest: Buffer;
}

interface ReceiveOptions extends UploadTimes {
  memory: UploadMemory;
  /** A buffer never needs to be larger. */
  bytesMax: number;
}

function receive(
  raw: IncomingMessage,
  { requestMs, checkEveryMs, memory, bytesMax }: ReceiveOptions,
  end: (error: Error | undefined, received?: Received) => void,
): void {
  const startMs = performance.now();
  const hash = createHash("sha256");
  // One buffer that grows: a list of chunks would be copied as a whole at the end, while other requests wait.
  let buffer: Buffer = Buffer.alloc(0);
  let received = 0;
  let chunks = 0;

  const take = (chunk: Buffer) => {
    const start = received;
    received += chunk.length;
    chunks += 1;
    if (received > IMAGE_BYTES_MAX) return finish(tooLarge());
    if (chunks > CHUNKS_MAX) return finish(new ServiceError("bad_request", { message: SCATTERED }));
    if (received > buffer.length) {
      const bytes = Math.min(bytesMax, Math.max(received, 2 * buffer.length, BUFFER_BYTES_MIN));
      if (!memory.grow(bytes)) return finish(busy());
      buffer = Buffer.concat([buffer], bytes);
    }
    chunk.copy(buffer, start);
    hash.update(chunk);
  };
  const checkTime = () => {
    const lateMs = performance.now() - startMs - requestMs - received / BYTES_PER_MS_MIN;
    if (lateMs > 0) finish(new ServiceError("request_timeout"));
  };
  const finish = (error?: Error) => {
    clearInterval(timer);
    raw.off("data", take).off("end", complete).off("error", finish);
    if (error !== undefined) return end(error);
    end(undefined, { bytes: buffer.subarray(0, received), digest: hash.digest() });
  };
  const complete = () => finish();
  const timer = setInterval(checkTime, checkEveryMs);
  raw.on("data", take).on("end", complete).on("error", finish);
}

function busy(): ServiceError {
  const message = "Too many photos are being uploaded. Send this one again after a short wait.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooLarge(): ServiceError {
  return new ServiceError("body_too_large", { message: LARGE });
}
