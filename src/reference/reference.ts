// The reference of the API: the page at /docs, and the same contents as Markdown.

import type { ReferencePages } from "../http/services.ts";
import { describeContents } from "./contents.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderPage } from "./page.ts";

export function createReference(): ReferencePages {
  return {
    renderPage: (document, head) => renderPage(describeContents(document), { document, head }),
    renderMarkdown: (document) => renderMarkdown(describeContents(document)),
  };
}
