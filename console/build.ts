// Builds the console into console/dist, unless it was already built from the same sources.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const STAMP = join(DIST, "built-from.txt");
/** The inputs of the bundle; the lockfile stands for Preact and esbuild. */
const SOURCES = ["src", "page.html", "build.ts", "../client/src", "../package-lock.json"];

/** Resolves to false where the bundle is up to date. */
export async function buildConsole(): Promise<boolean> {
  const stamp = hashSources();
  if (readStamp() === stamp) return false;
  // Loaded on demand: at most starts the bundle is up to date.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: { console: join(HERE, "src/main.tsx"), style: join(HERE, "src/styles/style.css") },
    outdir: DIST,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
  });
  mkdirSync(DIST, { recursive: true });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(join(DIST, "page.html"), readFileSync(join(HERE, "page.html")));
  // Last: a stamp means that all files are complete.
  replaceFile(STAMP, stamp);
  return true;
}

function hashSources(): string {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const file of listFiles(join(HERE, source)))
      hash.update(relative(HERE, file).replaceAll("\\", "/")).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function listFiles(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return undefined;
  }
}

/** Atomic: a service or another build may be reading the file. */
function replaceFile(path: string, contents: Uint8Array | string): void {
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}

if (import.meta.main) {
  // `npm start` must not fail because of the console; `npm run build:console` must.
  const isStrict = process.argv.includes("--strict");
  await buildConsole().catch((error: Error) => {
    process.stderr.write(`The console was not built: ${error.message}\n`);
    if (isStrict) process.exitCode = 1;
    else process.stderr.write("The service starts without it; its page at / says how to fix this.\n");
  });
}
