// The npm package of the typed client. It is part of an installation; a clone builds it for the first request.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Clock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { createDocument, type Document } from "./static-document.ts";

const BUILD_MAX_MS = 60_000;
/** Requests need no key, so failing builds must not follow each other at once. */
const RETRY_MS = 10_000;

const NOT_BUILT = `The client package could not be built; the log of the service has the reason. \
In the folder of the service, run "npm ci && npm run build:client".`;
const MISSING = `This installation has no client package. \
In a clone of the project, run "npm ci && npm run build:client", which writes client/dist/client.tgz.`;

interface ClientPackage {
  /** Concurrent callers share one build. Fails with `unavailable` without a package; a later call tries again. */
  get(): Promise<Document>;
  close(): void;
}

interface Options {
  /** The folder of the project or of the installed package. */
  root: URL;
  clock: Clock;
  buildMaxMs?: number;
}

export function createClientPackage({ root, clock, buildMaxMs = BUILD_MAX_MS }: Options): ClientPackage {
  const ending = new AbortController();
  let found: Promise<Document> | undefined;
  let failed: { message: string; cause: unknown; atMs: number } | undefined;

  async function find(): Promise<Document> {
    const builder = new URL("client/pack.ts", root);
    const isClone = existsSync(builder);
    try {
      if (isClone) await build(builder, { timeout: buildMaxMs, signal: ending.signal });
      return createDocument("application/gzip", await readFile(new URL("client/dist/client.tgz", root)));
    } catch (cause) {
      found = undefined;
      failed = { message: isClone ? NOT_BUILT : MISSING, cause, atMs: clock.monotonicMs() };
      throw unavailable(failed, RETRY_MS);
    }
  }

  return {
    async get() {
      const waitMs = failed === undefined ? 0 : failed.atMs + RETRY_MS - clock.monotonicMs();
      if (failed !== undefined && found === undefined && waitMs > 0) throw unavailable(failed, waitMs);
      found ??= find();
      return found;
    },
    close: () => ending.abort(),
  };
}

/** In a process of its own, so that it delays no other request. It does not get the settings, which hold secrets. */
async function build(script: URL, limits: { timeout: number; signal: AbortSignal }): Promise<void> {
  const options = { ...limits, env: {}, killSignal: "SIGKILL" } as const;
  await promisify(execFile)(process.execPath, [fileURLToPath(script)], options);
}

function unavailable({ message, cause }: { message: string; cause: unknown }, waitMs: number): ServiceError {
  return new ServiceError("unavailable", { message, cause, retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
