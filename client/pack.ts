// Compiles the client and packs it for npm into client/dist/client.tgz, unless that file is up to date.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { buildIfChanged, listFiles, replaceFile } from "./built-from.ts";
import { packTar } from "./tar.ts";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const COMPILER = join(HERE, "../node_modules/typescript/bin/tsc");
const COMPILE_MAX_MS = 45_000;

/** Packed as they are, beside the compiled code. */
const TEXTS = ["package.json", "README.md", "LICENSE"];
/** The inputs of the package; the lockfile stands for the compiler. */
const SOURCES = [
  "src",
  ...TEXTS,
  "tsconfig.json",
  "pack.ts",
  "tar.ts",
  "../tsconfig.json",
  "../package-lock.json",
];

/** Resolves to false where client/dist/client.tgz is up to date. */
function buildClient(): Promise<boolean> {
  const inputs = { folder: HERE, sources: SOURCES, dist: DIST, output: "client.tgz" };
  return buildIfChanged(inputs, () => packClient(join(DIST, inputs.output)));
}

/** Writes the same bytes for the same sources. */
export async function packClient(targetFile: string): Promise<void> {
  const compiled = mkdtempSync(join(tmpdir(), "animal-store-client-"));
  try {
    await compile(compiled);
    const texts = TEXTS.map((name) => ({ path: name, file: join(HERE, name) }));
    const code = listFiles(compiled).map((file) => ({ path: `dist/${relative(compiled, file)}`, file }));
    const files = [...texts, ...code].map(({ path, file }) => ({
      path: `package/${path.replaceAll("\\", "/")}`,
      bytes: readFileSync(file),
    }));
    mkdirSync(dirname(targetFile), { recursive: true });
    replaceFile(targetFile, packTar(files));
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}

async function compile(folder: string): Promise<void> {
  if (!existsSync(COMPILER)) throw new Error("TypeScript is not installed. Run npm ci.");
  const args = [COMPILER, "-p", HERE, "--outDir", folder];
  const options = { timeout: COMPILE_MAX_MS, killSignal: "SIGKILL" } as const;
  await promisify(execFile)(process.execPath, args, options).catch((error: Error & { stdout: string }) => {
    // The compiler writes its errors to stdout.
    throw new Error(error.stdout || error.message, { cause: error });
  });
}

if (import.meta.main) {
  await buildClient().then(
    (isNew) => process.stdout.write(`client/dist/client.tgz ${isNew ? "was built" : "is up to date"}.\n`),
    (error: Error) => {
      process.stderr.write(`The client was not packed: ${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
