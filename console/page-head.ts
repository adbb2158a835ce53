// The lines in the head of a page that load its style and its script.

import { basename } from "node:path";
import type { Metafile } from "esbuild";

type Outputs = Metafile["outputs"];

/** `entry` is the source of a style or a script. The service replaces `{base}` by the address of its root. */
export function renderHead(outputs: Outputs, entry: string): string {
  const path = findOutput(outputs, entry);
  if (path.endsWith(".css")) return `<link rel="stylesheet" href="${addressOf(path)}">`;
  // Otherwise the browser would learn the names of imported files only when it has the script.
  const preloads = [...listImports(outputs, path)].map(
    (imported) => `<link rel="modulepreload" href="${addressOf(imported)}">`,
  );
  return [...preloads, `<script type="module" src="${addressOf(path)}"></script>`].join("\n");
}

/** For a script without imports, which the browser runs before it paints the page. */
export function renderEarlyScript(outputs: Outputs, entry: string): string {
  return `<script src="${addressOf(findOutput(outputs, entry))}"></script>`;
}

function findOutput(outputs: Outputs, entry: string): string {
  return Object.keys(outputs).find((each) => outputs[each]?.entryPoint === entry) ?? "";
}

function addressOf(path: string): string {
  return `{base}console/${basename(path)}`;
}

/** The files that a script imports, directly or through others, without those loaded on demand. */
function listImports(outputs: Outputs, path: string, found = new Set<string>()): Set<string> {
  for (const { path: target, kind } of outputs[path]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(target)) continue;
    found.add(target);
    listImports(outputs, target, found);
  }
  return found;
}
