// `npm run build:package`: builds dist/animal-store-VERSION.tgz, which npm and npx can install and run.

import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { packClient } from "../client/pack.ts";
import { buildConsole } from "../console/build.ts";
import { adaptDocument } from "./documents.ts";
import { createManifest, createProductionLock, createSbom } from "./manifest.ts";
import { adaptUnit } from "./units.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "dist/package");
const SBOM_FOLDER = join(ROOT, "dist/sbom");
const COPIED = [
  "launcher/*",
  "src/site/*.css",
  "console/dist/*",
  "deploy/**",
  "docs/*.{json,svg}",
  "sample/**/*.{csv,json,webp}",
  "LICENSE",
];
const UNITS = "deploy/*.service";
const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "docs/*.md",
  "docs/guides/*.md",
  "client/README.md",
];

/** Resolves to the output of a program of the project or of npm. */
async function run(program: string, args: string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  } catch (error) {
    // The compiler writes its errors to standard output.
    const { stdout, message } = error as Error & { stdout?: string };
    throw new Error(stdout || message, { cause: error });
  }
}

/** Resolves to the path of the package. */
export async function buildPackage(): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true });
  await Promise.all([
    run("tsc", ["-p", "package"], ROOT),
    buildConsole(),
    packClient(join(FOLDER, "client/dist/client.tgz")),
  ]);
  for (const file of list(COPIED)) copy(file);
  const documents = list(DOCUMENTS);
  for (const file of documents) copy(file);
  // After all files are there, because a link to a missing one is removed.
  for (const file of documents) write(FOLDER, file, adaptDocument(read(file), FOLDER, file));
  const { version } = JSON.parse(read("package.json"));
  for (const file of list([UNITS])) write(FOLDER, file, adaptUnit(read(file), version));
  await writeManifests();
  const packed = await run("npm", ["pack", "--json", "--pack-destination", ".."], FOLDER);
  for (const folder of [FOLDER, SBOM_FOLDER]) rmSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(packed);
  return join(dirname(FOLDER), filename);
}

async function writeManifests(): Promise<void> {
  const own = JSON.parse(read("package.json"));
  const lock = JSON.parse(read("package-lock.json"));
  writeJson(FOLDER, "package.json", createManifest(own, lock));
  // With --omit=dev, npm leaves out packages that development needs too. So it gets a project without development.
  writeJson(SBOM_FOLDER, "package.json", { ...own, devDependencies: undefined });
  writeJson(SBOM_FOLDER, "package-lock.json", createProductionLock(lock));
  const sbom = await run("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], SBOM_FOLDER);
  writeJson(FOLDER, "sbom.cdx.json", createSbom(sbom));
}

function list(patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

/** Fails rather than replace a compiled file of the same name. */
function copy(file: string): void {
  cpSync(join(ROOT, file), join(FOLDER, file), { force: false, errorOnExist: true });
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}

function writeJson(folder: string, file: string, content: object): void {
  write(folder, file, `${JSON.stringify(content, null, 2)}\n`);
}

if (import.meta.main) {
  const file = relative(process.cwd(), await buildPackage());
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${file}  ${megabytes} MB\n\nRun it in any folder: npx --yes ./${file}\n`);
}
