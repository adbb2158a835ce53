// The pages and files that console/build.ts has written, read together so that they fit each other.

import { readdir, readFile } from "node:fs/promises";
import { escapeHtml } from "../../tools/html.ts";
import { once } from "../../tools/once.ts";
import { createDocument, type Document, TEXT_TYPES } from "./static-document.ts";

const DIST = new URL("../../../console/dist/", import.meta.url);
/** A file with a hash in its name, which has compressed forms beside it. */
const ASSET = /^[\w-]+-[A-Z0-9]{8}\.(?:css|js)$/;

interface Pages {
  console: string;
  /** The lines in the head of the reference that load its icon, its style and its script. */
  referenceHead: string;
  /** The lines that load the icon and the style of the console, for pages without a script. */
  plainHead: string;
  /** The name of the file of the widget. */
  widget: string;
}

/** Replaces these lines while nothing is built: otherwise browsers would ask for an icon. */
export const BARE_HEAD = '<link rel="icon" href="data:,">';

/** Pages and lines have `{base}` before their addresses. */
interface ConsoleBuild extends Pages {
  assets: Map<string, Document>;
}

export type FindConsoleBuild = () => Promise<ConsoleBuild | undefined>;

/** The result is undefined while nothing is built. The build may end while the service runs. */
export function createConsoleBuildFinder(): FindConsoleBuild {
  const read = once(readBuild);
  return () => read().catch(() => undefined);
}

async function readBuild(): Promise<ConsoleBuild> {
  // The pages first: a build writes them after the files that they name.
  const pages: Pages = JSON.parse(await readFile(new URL("pages.json", DIST), "utf8"));
  const names = (await readdir(DIST)).filter((name) => ASSET.test(name));
  const assets = await Promise.all(names.map(async (name) => [name, await readAsset(name)] as const));
  return { ...pages, assets: new Map(assets) };
}

async function readAsset(name: string): Promise<Document> {
  const read = (ending: string) => readFile(new URL(name + ending, DIST));
  const [bytes, gzip, br] = await Promise.all([read(""), read(".gz"), read(".br")]);
  return createDocument(TEXT_TYPES[name.endsWith(".css") ? "css" : "js"], bytes, { gzip, br });
}

/** The path of PUBLIC_URL for use in HTML, with a slash at both ends. */
export function basePathOf(publicUrl: string): string {
  return escapeHtml(new URL(publicUrl).pathname.replace(/\/?$/, "/"));
}

/** Fills in the addresses of a page at the root. Below a path, they must not be relative: its slash may be missing. */
export function completeBase(html: string, publicUrl: string): string {
  const base = basePathOf(publicUrl);
  return html.replaceAll("{base}", () => (base === "/" ? "" : base));
}
