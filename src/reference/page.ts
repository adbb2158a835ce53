// The page at /docs: its frame, the menu and the chapters.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import { drawMark } from "../look/mark.ts";
import { escapeHtml } from "../tools/html.ts";
import type { Chapter, Contents, Section } from "./blocks.ts";
import { renderForm } from "./form.ts";
import { type HtmlOptions, renderBlocks } from "./html.ts";

interface PageOptions {
  document: OpenApiDocument;
  /** The lines that load icon, style and script. */
  head: string;
}

export function renderPage(contents: Contents, { document, head }: PageOptions): string {
  const { title, version, root, introduction, chapters } = contents;
  const options: HtmlOptions = {
    root,
    renderForm: ({ listed }) => renderForm(listed, document.components.schemas),
  };
  return `<!doctype html>
<html lang="en" data-language="sh">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} reference</title>
<link rel="alternate" type="text/markdown" href="docs.md">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button type="button" class="menu" popovertarget="contents">Contents</button>
<a class="brand" href="#content">${drawMark()}${escapeHtml(title)} <small>API ${escapeHtml(version)}</small></a>
${SEARCH}
<a class="console" href="./">Console</a>
</header>
<nav id="contents" popover aria-label="Contents">
<ul>
${chapters.map(renderMenu).join("\n")}
</ul>
</nav>
<main id="content" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${renderBlocks(introduction, options)}
${DOWNLOADS}
${KEY_FORM}
${chapters.map((chapter) => renderChapter(chapter, options)).join("\n")}
</main>
${ANSWER}
</body>
</html>
`;
}

const SEARCH = `<form class="search" role="search">
<label class="visually-hidden" for="search">Search operations, guides, shapes and error codes</label>
<input id="search" type="search" placeholder="Search ( / )" autocomplete="off" spellcheck="false" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="results">
<ul id="results" role="listbox" aria-label="Found" hidden></ul>
<p id="found" class="visually-hidden" role="status"></p>
</form>`;

const DOWNLOADS = `<p>For programs: the OpenAPI document as <a href="openapi.json">JSON</a> or <a href="openapi.yaml">YAML</a>,
and this whole page as <a href="docs.md">one Markdown file</a>.</p>`;

const KEY_FORM = `<form id="key-form" class="field">
<label for="key">Your API key</label>
<div class="pair"><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="ask_live_…"><button type="button" id="forget">Forget</button></div>
<small>Fills the code below, and sends the forms. It stays in this tab, and signs you in to the console there.</small>
</form>`;

/** Copied by the script for every response to a form. */
const ANSWER = `<template id="answer">
<div class="answer">
<p class="outcome" role="status"></p>
<pre class="body" tabindex="0" role="group" aria-label="Body of the response"></pre>
<details class="headers"><summary>Headers</summary><pre tabindex="0" role="group" aria-label="Headers of the response"></pre></details>
<div class="samples sent"><p class="head"><span>The request as curl</span><button type="button" class="copy">Copy</button></p><pre tabindex="0" role="group" aria-label="The request as curl"></pre></div>
</div>
</template>`;

function renderMenu({ id, title, sections }: Chapter): string {
  const items = sections.map(
    (section) => `<li><a href="#${section.id}">${methodOf(section)}${escapeHtml(section.title)}</a></li>`,
  );
  return `<li><a href="#${id}">${escapeHtml(title)}</a>${items.length === 0 ? "" : `<ul>${items.join("")}</ul>`}</li>`;
}

function methodOf({ address }: Section): string {
  return address === undefined
    ? ""
    : `<span class="method ${address.method.toLowerCase()}">${address.method}</span> `;
}

function renderChapter({ id, title, blocks, sections }: Chapter, options: HtmlOptions): string {
  return `<section id="${id}">
<h2><a class="anchor" href="#${id}">${escapeHtml(title)}</a></h2>
${renderBlocks(blocks, options)}
${sections.map((section) => renderSection(section, options)).join("\n")}
</section>`;
}

function renderSection(section: Section, options: HtmlOptions): string {
  const { id, kind, title, address, isDeprecated, blocks } = section;
  const mark = isDeprecated ? " <mark>deprecated</mark>" : "";
  const line = address
    ? `<p class="address">${methodOf(section)}<code>${escapeHtml(address.path)}</code></p>\n`
    : "";
  return `<section id="${id}" data-kind="${kind}">
<h3><a class="anchor" href="#${id}">${escapeHtml(title)}</a>${mark}</h3>
${line}${renderBlocks(blocks, options)}
</section>`;
}
