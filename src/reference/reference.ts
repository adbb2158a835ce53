// Style, script and renderer of the page at /docs.

import { readFileSync } from "node:fs";
import type { ReferencePages } from "../http/services.ts";
import { renderReference } from "./page.ts";

export function createReference(): ReferencePages {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  return {
    renderPage: renderReference,
    style: read("./reference.css"),
    script: read("./reference.js"),
  };
}
