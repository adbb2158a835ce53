// Builds the files of the console, the reference and the widget into console/dist, unless they were already built from the same sources.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "esbuild";
import { buildIfChanged, replaceFile, STAMP, UNFINISHED } from "../client/built-from.ts";
import { accentStyle, DEFAULT_ACCENT, deriveColours } from "../src/look/accent.ts";
import { markAddress, markStyle } from "../src/look/mark.ts";
import { COLOURS, tokenStyle } from "../src/look/tokens.ts";
import { renderEarlyScript, renderHead } from "./page-head.ts";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const TEMPLATE = "page.html";
/** The page of the console, lines for the heads of other pages, and the name of the widget's file. */
const PAGES = "pages.json";
/** The inputs of the files; the lockfile stands for Preact and esbuild. */
const SOURCES = [
  "src",
  TEMPLATE,
  "build.ts",
  "page-head.ts",
  "../client/src",
  "../widget/src",
  "../package-lock.json",
  "../src/domain",
  "../src/look",
  "../src/transfer/formats",
  "../src/reference/samples/curl.ts",
];

interface Entries {
  style?: string;
  /** Runs before the page is painted. It must not import anything. */
  early?: string;
  script: string;
}

const CONSOLE: Entries = { style: "src/styles/style.css", script: "src/main.tsx" };
const REFERENCE: Entries = {
  style: "src/styles/reference.css",
  early: "src/reference/early.ts",
  script: "src/reference/main.ts",
};
const WIDGET: Entries = { script: "../widget/src/animal-list.ts" };

const ICON = `<link rel="icon" href="${markAddress(deriveColours(DEFAULT_ACCENT))}">`;

/** The tokens and the mark as a file that style sheets can import by the name `look:tokens`. */
const TOKENS: Plugin = {
  name: "tokens",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^look:tokens$/ }, ({ path }) => ({ path, namespace: "look" }));
    onLoad({ filter: /.*/, namespace: "look" }, () => ({
      contents: tokenStyle() + accentStyle(DEFAULT_ACCENT) + markStyle(),
      loader: "css",
    }));
  },
};

/** Resolves to false where the files are up to date. */
export function buildConsole(): Promise<boolean> {
  return buildIfChanged({ folder: HERE, sources: SOURCES, dist: DIST, output: PAGES }, buildAll);
}

interface BuiltFile {
  name: string;
  contents: Uint8Array;
}

async function buildAll(): Promise<void> {
  // Apart from each other, so that neither page loads small files with what both need.
  const [own, reference, widget] = await Promise.all([
    bundle("console", CONSOLE),
    bundle("reference", REFERENCE),
    bundle("widget", WIDGET),
  ]);
  const files = [...own.files, ...reference.files, ...widget.files];
  for (const { name, contents } of files) replaceFile(join(DIST, name), contents);
  const template = fillInLook(readFileSync(join(HERE, TEMPLATE), "utf8"));
  const pages = {
    console: template.replace("<!-- files -->", `${own.style}\n${own.script}`),
    referenceHead: `${ICON}\n${reference.style}\n${reference.script}`,
    plainHead: `${ICON}\n${own.style}`,
    widget: widget.files[0]?.name,
  };
  // After the files that it names.
  replaceFile(join(DIST, PAGES), JSON.stringify(pages));
  removeOthers([PAGES, STAMP, ...files.map(({ name }) => name)]);
}

/** The browser around the page has the colours of its header. */
function fillInLook(template: string): string {
  const [light, dark] = COLOURS.panel;
  return template.replace("<!-- icon -->", ICON).replace("{light}", light).replace("{dark}", dark);
}

/** `style` and `script` are lines for the head of the page. */
interface Bundle {
  files: BuiltFile[];
  style: string;
  script: string;
}

/** Names have a hash of the content, so that browsers can keep the files forever. */
async function bundle(name: string, { style, early, script }: Entries): Promise<Bundle> {
  // Loaded on demand: at most starts the files are up to date.
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    entryPoints: {
      [name]: script,
      ...(style && { [`${name}-style`]: style }),
      ...(early && { [`${name}-early`]: early }),
    },
    absWorkingDir: HERE,
    outdir: "dist",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    plugins: [TOKENS],
    logLevel: "silent",
  });
  const files = outputFiles.map(({ path, contents }) => addCompressed({ name: basename(path), contents }));
  return {
    files: (await Promise.all(files)).flat(),
    style: style === undefined ? "" : renderHead(metafile.outputs, style),
    script: [
      ...(early === undefined ? [] : [renderEarlyScript(metafile.outputs, early)]),
      renderHead(metafile.outputs, script),
    ].join("\n"),
  };
}

async function addCompressed({ name, contents }: BuiltFile): Promise<BuiltFile[]> {
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }),
    promisify(brotliCompress)(contents),
  ]);
  return [
    { name, contents },
    { name: `${name}.gz`, contents: gzipped },
    { name: `${name}.br`, contents: brotli },
  ];
}

/** Deletes what earlier builds have left, but not the unfinished files of a build that runs at the same time. */
function removeOthers(names: string[]): void {
  for (const name of readdirSync(DIST))
    if (!names.includes(name) && !name.endsWith(UNFINISHED)) rmSync(join(DIST, name), { force: true });
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
