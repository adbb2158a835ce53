// Builds the console, and script and style of the reference, into console/dist, unless it was already built from the same sources.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildIfChanged, replaceFile } from "../client/built-from.ts";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
/** The inputs of the bundle; the lockfile stands for Preact and esbuild. */
const SOURCES = [
  "src",
  "page.html",
  "build.ts",
  "../client/src",
  "../src/reference/samples/curl.ts",
  "../package-lock.json",
];

/** Resolves to false where the bundle is up to date. */
export function buildConsole(): Promise<boolean> {
  return buildIfChanged({ folder: HERE, sources: SOURCES, dist: DIST, output: "console.js" }, bundle);
}

async function bundle(): Promise<void> {
  // Loaded on demand: at most starts the bundle is up to date.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: {
      console: join(HERE, "src/main.tsx"),
      style: join(HERE, "src/styles/style.css"),
      reference: join(HERE, "src/reference/main.ts"),
      "reference-early": join(HERE, "src/reference/early.ts"),
      "reference-style": join(HERE, "src/styles/reference.css"),
    },
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
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(join(DIST, "page.html"), readFileSync(join(HERE, "page.html")));
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
