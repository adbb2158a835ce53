// Receives the body of an upload: limits its type, its bytes, its chunks and its time.

import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { unsupportedType } from "./body-faults.ts";

/**
 * The slowest upload that may take longer than other requests: 0.5 Mbit/s, which slow mobile networks reach.
 * A client that sends single bytes gets no more time than any other.
 */
const BYTES_PER_MS_MIN = 64;
/** Each costs some microseconds. Honest clients send at least a kilobyte at a time. */
const CHUNKS_MAX = 100_000;
const SCATTERED = "The body has too many small chunks.";

export interface UploadTimes {
  requestMs: number;
  checkEveryMs: number;
}

interface Limits extends UploadTimes {
  bytesMax: number;
  /** The message of `body_too_large`. */
  tooLarge: string;
}

/** The parts of Content-Type, in small letters. Throws `body_too_large`, and `unsupported_media_type` with the advice `wanted`. */
export function checkBodyHeaders(
  { headers }: FastifyRequest,
  { types, wanted, bytesMax, tooLarge }: Pick<Limits, "bytesMax" | "tooLarge"> & BodyTypes,
): string[] {
  const parts = (headers["content-type"] ?? "").split(";").map((part) => part.trim().toLowerCase());
  if (!types.includes(parts[0] ?? "") || headers["content-encoding"] !== undefined)
    throw unsupportedType(headers, wanted);
  if (Number(headers["content-length"] ?? 0) > bytesMax)
    throw new ServiceError("body_too_large", { message: tooLarge });
  return parts;
}

interface BodyTypes {
  types: readonly string[];
  wanted: string;
}

/** Undefined if the client does not say how many bytes it sends. */
export function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

/**
 * Gives every chunk to `take`, and waits where that returns a promise. Rejects with the error of `take`, of the connection,
 * or with `body_too_large`, `bad_request`, `request_timeout`; the rest of the body is then not read.
 */
export function receiveBody(
  { raw, socket: { pipeline } }: FastifyRequest,
  { requestMs, checkEveryMs, bytesMax, tooLarge }: Limits,
  take: (chunk: Buffer) => void | Promise<void>,
): Promise<void> {
  const startMs = performance.now();
  let received = 0;
  let chunks = 0;

  function checkChunk(chunk: Buffer): void {
    received += chunk.length;
    chunks += 1;
    if (received > bytesMax) throw new ServiceError("body_too_large", { message: tooLarge });
    if (chunks > CHUNKS_MAX) throw new ServiceError("bad_request", { message: SCATTERED });
  }

  if (pipeline !== undefined) pipeline.isUploading = true;
  return new Promise<void>((resolve, reject) => {
    const accept = (chunk: Buffer) => {
      try {
        checkChunk(chunk);
        const taken = take(chunk);
        if (taken === undefined) return;
        raw.pause();
        taken.then(() => raw.resume(), end);
      } catch (error) {
        end(error);
      }
    };
    const checkTime = () => {
      const lateMs = performance.now() - startMs - requestMs - received / BYTES_PER_MS_MIN;
      if (lateMs > 0) end(new ServiceError("request_timeout"));
    };
    const end = (error?: unknown) => {
      clearInterval(timer);
      raw.off("data", accept).off("end", end).off("error", end);
      if (pipeline !== undefined) pipeline.isUploading = false;
      if (error === undefined) resolve();
      else reject(error);
    };
    const timer = setInterval(checkTime, checkEveryMs);
    raw.on("data", accept).on("end", end).on("error", end);
  });
}
