// The packed client: built from the sources, and unpacked where a program can import it.

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { makeFolder } from "../../harness/runner/folder.ts";

export const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, "../../..");
export const TSC = join(ROOT, "node_modules/.bin/tsc");
const PLACE = "node_modules/@animal-store/client";

/** Resolves to client/dist/client.tgz, which is up to date then. */
export async function packClient(): Promise<string> {
  await run(process.execPath, [join(ROOT, "client/pack.ts")]);
  return join(ROOT, "client/dist/client.tgz");
}

interface Unpacked {
  /** A folder for programs that import the package. */
  folder: string;
  /** The folder of the package itself. */
  place: string;
}

export async function unpackClient(t: TestContext): Promise<Unpacked> {
  const file = await packClient();
  const folder = makeFolder(t);
  const place = join(folder, PLACE);
  mkdirSync(place, { recursive: true });
  await run("tar", ["-xzf", file, "-C", place, "--strip-components=1"]);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, place };
}

/** Options of the compiler for a strict program, which also checks the declarations of the package. */
const STRICT = `--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck false
  --skipDefaultLibCheck --target es2022 --lib es2022,dom,dom.iterable`.split(/\s+/);

/** Throws with the errors of the compiler. */
export async function compile(folder: string, args: string[], compiler: string = TSC): Promise<void> {
  await run(process.execPath, [compiler, ...STRICT, ...args], { cwd: folder }).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(error.stdout || error.message);
    },
  );
}
