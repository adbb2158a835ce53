// Bodies of uploads: an image of limited size, read into memory that is reserved as the bytes arrive.

import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { IMAGE_BYTES_MAX, IMAGE_TYPES } from "../../domain/animals/photo-limits.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { endConnection } from "../headers/common-headers.ts";
import { announcedBytes, checkBodyHeaders, receiveBody, type UploadTimes } from "./receive-body.ts";
import { createUploadBudget, type UploadBytes } from "./upload-budget.ts";

/** Shared by all uploads that are received or processed: eight of the largest, or many usual ones. One key gets 50 %. */
const MEMORY_MAX = 8 * IMAGE_BYTES_MAX;
const RETRY_AFTER_SECONDS = 2;
const BUFFER_BYTES_MIN = 64 * 1024;
const IMAGE_WANTED = `Send the header Content-Type: ${IMAGE_TYPES.slice(0, -1).join(", ")} or ${IMAGE_TYPES.at(-1)}, and the image itself as the body, not a form, without Content-Encoding.`;
const LIMITS = {
  bytesMax: IMAGE_BYTES_MAX,
  tooLarge: `The image is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB.`,
};

/** Reads the body of a request into `request.upload`. `done` gets the error of a body that is not accepted. */
export type ReadUpload = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

export function createUploadReader(times: UploadTimes): ReadUpload {
  const openMemory = createUploadBudget(MEMORY_MAX);

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
    const announced = announcedBytes(request);
    // Only memory in use counts: an upload that is announced and not sent takes none from others.
    if (!memory.canHold(announced ?? 0)) return refuse(busy());
    receiveImage(request, { times, memory, sizeMax: announced ?? IMAGE_BYTES_MAX }).then(
      ({ bytes, digest }) => {
        request.upload = { use: (work) => memory.use(() => work(bytes)) };
        request.fingerprint = digest;
        done();
      },
      refuse,
    );
  };
}

/** Throws `unsupported_media_type`, `body_too_large`. */
export function checkUploadHeaders(request: FastifyRequest): void {
  checkBodyHeaders(request, { ...LIMITS, types: IMAGE_TYPES, wanted: IMAGE_WANTED });
}

interface Received {
  bytes: Buffer;
  /** SHA-256. Computed as the bytes arrive: for 12 MiB at once, other requests would wait. */
  digest: Buffer;
}

/** `sizeMax`: the buffer never needs to be larger. */
async function receiveImage(
  request: FastifyRequest,
  { times, memory, sizeMax }: { times: UploadTimes; memory: UploadBytes; sizeMax: number },
): Promise<Received> {
  const hash = createHash("sha256");
  // One buffer that grows: a list of chunks would be copied as a whole at the end, while other requests wait.
  let buffer: Buffer = Buffer.alloc(0);
  let received = 0;
  await receiveBody(request, { ...times, ...LIMITS }, (chunk) => {
    const start = received;
    received += chunk.length;
    if (received > buffer.length) {
      const bytes = Math.min(sizeMax, Math.max(received, 2 * buffer.length, BUFFER_BYTES_MIN));
      if (!memory.grow(bytes)) throw busy();
      buffer = Buffer.concat([buffer], bytes);
    }
    chunk.copy(buffer, start);
    hash.update(chunk);
  });
  return { bytes: buffer.subarray(0, received), digest: hash.digest() };
}

function busy(): ServiceError {
  const message = "Too many photos are being uploaded. Send this one again after a short wait.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
