// Blocks of the reference as HTML that is complete without a script.

import { escapeHtml } from "../tools/html.ts";
import type { Block, CodeLanguage, ExampleResponse, Row, Sample } from "./blocks.ts";
import { splitCode, splitLines, type Token } from "./highlight.ts";
import { KEY_PLACEHOLDER } from "./samples/request.ts";

export interface HtmlOptions {
  /** The address of the service as the code of the contents has it. */
  root: string;
  renderForm(block: Block & { kind: "form" }): string;
}

function renderBlock(block: Block, options: HtmlOptions): string {
  switch (block.kind) {
    case "text":
      return `<p>${inline(block.text)}</p>`;
    case "code":
      return `<div class="code">${COPY}<pre tabindex="0" role="group" aria-label="Code">${renderCode(block, options.root)}</pre></div>`;
    case "table":
      return renderTable(block.head, block.rows);
    case "details":
      return `<details><summary>${escapeHtml(block.title)}</summary>${renderBlocks(block.blocks, options)}</details>`;
    case "samples":
      return `<div class="example">${renderTabs(block.id, block.samples, options.root)}${renderResponse(block.response, options.root)}</div>`;
    case "form":
      return options.renderForm(block);
    case "preview":
      return PREVIEW;
  }
}

export function renderBlocks(blocks: Block[], options: HtmlOptions): string {
  return blocks.map((block) => renderBlock(block, options)).join("\n");
}

/** The script of the page adds the widget. */
const PREVIEW = `<form class="field preview">
<label for="widget-key">Try it here, with a publishable key of yours</label>
<div class="pair"><input id="widget-key" required pattern="ask_pub_.*" autocomplete="off" spellcheck="false" placeholder="ask_pub_…"><button>Show</button></div>
</form>
<div></div>`;

const COPY = '<button type="button" class="copy">Copy</button>';

/**
 * The script of the page fills in the address and the key of the reader. Their lines are elements of their own, with the
 * line feed: otherwise browsers would count all text behind them as moved.
 */
function renderCode({ code, language }: { code: string; language: CodeLanguage }, root: string): string {
  return splitLines(splitCode(code, language))
    .map((line) => {
      const shown = line.map((token) => renderToken(token, root)).join("");
      return line.some(({ text }) => isFilled(text, root)) ? `<span>${shown}</span>` : shown;
    })
    .join("");
}

function renderToken({ kind, text }: Token, root: string): string {
  const shown = isFilled(text, root)
    ? escapeHtml(text)
        .replaceAll(escapeHtml(root), (address) => `<span class="root">${address}</span>`)
        .replaceAll(KEY_PLACEHOLDER, (key) => `<span class="key">${key}</span>`)
    : escapeHtml(text);
  return kind === undefined ? shown : `<span class="${kind}">${shown}</span>`;
}

function isFilled(text: string, root: string): boolean {
  return text.includes(root) || text.includes(KEY_PLACEHOLDER);
}

/** The first tab is chosen until the script knows better. */
function renderTabs(id: string, samples: Sample[], root: string): string {
  const tabs = samples.map(
    ({ title, language }, index) =>
      `<button type="button" role="tab" id="${id}-${language}-tab" aria-controls="${id}-${language}" data-language="${language}" ${index === 0 ? 'aria-selected="true"' : 'aria-selected="false" tabindex="-1"'}>${title}</button>`,
  );
  const panels = samples.map(
    ({ title, language, code }) =>
      `<pre role="tabpanel" id="${id}-${language}" aria-labelledby="${id}-${language}-tab" tabindex="0" data-language="${language}" data-title="${title}">${renderCode({ code, language }, root)}</pre>`,
  );
  return `<div class="samples"><div class="head"><div role="tablist" aria-label="Language of the sample">${tabs.join("")}</div>${COPY}</div>
${panels.join("\n")}</div>`;
}

function renderResponse({ status, body }: ExampleResponse, root: string): string {
  if (body === undefined)
    return `<div class="response"><p class="head">Response ${status}, without a body</p></div>`;
  return `<div class="response"><p class="head"><span>Response ${status}: ${inline(body.type)}</span></p>
<pre tabindex="0" role="group" aria-label="Response">${renderCode(body, root)}</pre></div>`;
}

function renderTable(head: string[], rows: Row[]): string {
  const heads = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join("");
  const lines = rows.map(({ id, cells }) => {
    const data = cells.map((cell) => `<td>${inline(cell)}</td>`).join("");
    return `<tr${id === undefined ? "" : ` id="${id}"`}>${data}</tr>`;
  });
  const described = head.length === 3 && head.at(-1) === "Meaning" ? ' class="described"' : "";
  return `<div class="scroll"><table${described}><thead><tr>${heads}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>`;
}

/** Escapes the text, and converts `code` and links to sections. */
function inline(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\[(\w+)\]\((#[\w-]+)\)/g, '<a href="$2">$1</a>');
}
