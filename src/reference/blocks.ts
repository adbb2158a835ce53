// The contents of the reference, independent of their form: the page and the Markdown file are both written from them.

import type { DescribedOperation } from "../http/openapi/document.ts";

/** Texts and cells may contain `code` and links to sections, as in Markdown: [Pet](#shape-Pet). */
export type Block =
  | { kind: "text"; text: string }
  | { kind: "code"; code: string; language: CodeLanguage }
  | { kind: "table"; head: string[]; rows: Row[] }
  | { kind: "details"; title: string; blocks: Block[] }
  | { kind: "samples"; id: string; samples: Sample[]; response: ExampleResponse }
  | { kind: "form"; listed: ListedOperation }
  | { kind: "preview" };

export type CodeLanguage = "sh" | "js" | "python" | "json" | "html" | "css" | "text";

export interface Row {
  /** For rows that have an address of their own. */
  id?: string;
  cells: string[];
}

export interface Sample {
  /** On the tab. */
  title: string;
  language: CodeLanguage;
  code: string;
}

export interface ExampleResponse {
  status: string;
  /** Absent where the response has no body. */
  body?: { type: string; code: string; language: CodeLanguage };
}

export interface ListedOperation {
  method: string;
  path: string;
  operation: DescribedOperation;
}

export interface Section {
  id: string;
  kind: "Guide" | "Operation" | "Shape";
  title: string;
  /** Method and path of an operation. */
  address?: { method: string; path: string };
  isDeprecated?: boolean;
  blocks: Block[];
}

export interface Chapter {
  id: string;
  title: string;
  blocks: Block[];
  sections: Section[];
}

export interface Contents {
  title: string;
  version: string;
  /** The address of the service, without `/v1`. */
  root: string;
  introduction: Block[];
  chapters: Chapter[];
}

export function text(text: string): Block {
  return { kind: "text", text };
}
