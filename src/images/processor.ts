// Converts images in processes of their own: two at a time, one of each key, with low priority and a time limit.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { performance } from "node:perf_hooks";
import { buffer, text } from "node:stream/consumers";
import { IMAGE_MEMORY_MAX } from "../domain/animals/photo-limits.ts";
import type { ImageProcessor, ProcessedImage } from "../domain/animals/stored-image.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { createFairQueue } from "../tools/fair-queue.ts";
import { checkBytes } from "./check-bytes.ts";
import { readResult, type WorkerResult } from "./result.ts";
import { WORKER_FILE } from "./worker.ts";

const LIMITS = { atOnce: 2, waitingMax: 2 };
const LIMIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;
/** "nice" value: the service gets about ten times as much of a busy core. */
const PRIORITY = 10;
const STDERR_SHOWN = 2_000;
/** Node adds a folder for its version. With the compiled code of this process, a small image takes 33 % less CPU time. */
const COMPILE_CACHE = getCompileCacheDir();
const WORKER_ENVIRONMENT: NodeJS.ProcessEnv = {
  // libjpeg's limit. The header of a JPEG file does not say how much memory a progressive one needs.
  JPEGMEM: `${IMAGE_MEMORY_MAX / 1e6}M`,
  ...(COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE: dirname(COMPILE_CACHE) }),
};

interface Options {
  workerFile?: string;
  /** Limits the wait, and again the work. */
  limitMs?: number;
}

export function createImageProcessor(options: Options = {}): ImageProcessor {
  const { workerFile = WORKER_FILE, limitMs = LIMIT_MS } = options;
  const ending = new AbortController();
  const runInTurn = createFairQueue(LIMITS, { onFull: tooMany, onTimeout: busy });

  return {
    async processImage(bytes, owner) {
      checkBytes(bytes);
      const run = () => runWorker(bytes, { workerFile, limitMs, signal: ending.signal });
      return toImage(await runInTurn(owner, performance.now() + limitMs, run));
    },
    close: () => ending.abort(),
  };
}

/** Resolves to the reason why no image can be processed here, or to undefined. */
export async function findImageFault(workerFile = WORKER_FILE): Promise<string | undefined> {
  const limits = { workerFile, limitMs: LIMIT_MS, signal: AbortSignal.timeout(LIMIT_MS) };
  try {
    const result = await runWorker(ONE_PIXEL, limits);
    if ("image" in result) return undefined;
    return "unavailable" in result ? result.unavailable : result.invalid;
  } catch (error) {
    return String(((error as Error).cause as Error | undefined)?.message ?? (error as Error).message);
  }
}

/** A WebP file with one white pixel. */
const ONE_PIXEL = Buffer.from("UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA=", "base64");

interface Limits {
  workerFile: string;
  limitMs: number;
  signal: AbortSignal;
}

/** The process does not get the settings, which hold secrets. A crash of the image library ends this process only. */
async function runWorker(bytes: Buffer, { workerFile, limitMs, signal }: Limits): Promise<WorkerResult> {
  const child = spawn(process.execPath, [workerFile], {
    env: WORKER_ENVIRONMENT,
    stdio: "pipe",
    timeout: limitMs,
    killSignal: "SIGKILL",
    signal,
  });
  const started = performance.now();
  // First of all: without file descriptors, Node only emits "error", which would end the service if nothing listened.
  const closed = once(child, "close");
  lowerPriority(child.pid);
  const [[stdout, stderr], [code, killedBy]] = await Promise.all([exchange(child, bytes), closed]).catch(
    (cause) => {
      throw unavailable("The image could not be processed.", cause);
    },
  );
  const result = code === 0 ? readResult(stdout) : undefined;
  if (result !== undefined) return result;
  if (performance.now() - started >= limitMs) throw late(limitMs);
  const ended = killedBy === null ? `with code ${code}` : `by ${killedBy}`;
  const cause = new Error(`The image worker ended ${ended}. ${stderr.slice(-STDERR_SHOWN)}`.trim());
  throw unavailable("The image could not be processed.", cause);
}

/** Resolves to the output of the worker. A process that could not be started may have no pipes. */
async function exchange(child: ChildProcess, bytes: Buffer): Promise<[Buffer, string]> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) return [Buffer.alloc(0), ""];
  // The worker may end before it has read everything; its end is reported by the caller.
  stdin.on("error", () => {});
  stdin.end(bytes);
  return Promise.all([buffer(stdout), text(stderr)]);
}

function lowerPriority(pid: number | undefined): void {
  // The process could not be started: its "error" event follows.
  if (pid === undefined) return;
  try {
    setPriority(pid, PRIORITY);
  } catch {
    // Forbidden by a sandbox. The images are processed all the same.
  }
}

function toImage(result: WorkerResult): ProcessedImage {
  if ("image" in result) return result.image;
  if ("invalid" in result) throw new ServiceError("invalid_image", { message: result.invalid });
  throw unavailable(
    'Photos are not available on this server: its image library cannot be loaded. The command "doctor" says why.',
    new Error(result.unavailable),
  );
}

function tooMany(): ServiceError {
  return unavailable(
    `${LIMITS.waitingMax + 1} images of this key are being processed. Send this one again after a short wait.`,
  );
}

function busy(): ServiceError {
  return unavailable("Too many images are being processed. Send this one again after a short wait.");
}

function late(limitMs: number): ServiceError {
  return unavailable(
    `Processing the image took longer than ${limitMs / 1000} s. Send a smaller one, or try again later.`,
  );
}

function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError("unavailable", { message, cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
