// The page at /docs: plain HTML from the OpenAPI document, readable without a script.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import type { Answer } from "../http/openapi/responses.ts";
import type { ReferencePages } from "../http/services.ts";
import { escapeHtml, inline } from "../tools/html.ts";
import { describeGuides, type Guide } from "./guides.ts";
import { renderErrors, renderLimits } from "./limits-and-errors.ts";
import {
  type ListedOperation,
  nameOf,
  navigationItem,
  type Resolve,
  renderOperation,
  renderShape,
} from "./operations.ts";

interface Group {
  name: string;
  description: string;
  listed: ListedOperation[];
}

export function createReference(): ReferencePages {
  return { renderPage };
}

function renderPage(document: OpenApiDocument): string {
  const { info, servers, components } = document;
  const groups = groupByTag(document);
  const guides = describeGuides(servers[0]?.url ?? "");
  const resolve: Resolve = (answer) =>
    "$ref" in answer ? (components.responses[nameOf(answer.$ref)] as Answer) : answer;
  const renderGroup = ({ name, description, listed }: Group) =>
    `<h2>${escapeHtml(name)}</h2>\n<p>${inline(description)}</p>\n${listed.map((each) => renderOperation(each, resolve)).join("\n")}`;

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="console/reference-style.css">
<script type="module" src="console/reference.js"></script>
</head>
<body>
${renderNavigation(info, guides, groups)}
<main>
${renderIntroduction(document)}
<h2>Guides</h2>
${guides.map(renderGuide).join("\n")}
${groups.map(renderGroup).join("\n")}
<h2 id="shapes">Shapes</h2>
${Object.entries(components.schemas).map(renderShape).join("\n")}
${renderLimits()}
${renderErrors()}
</main>
</body>
</html>
`;
}

function groupByTag({ tags, paths }: OpenApiDocument): Group[] {
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return tags.map((tag) => ({
    ...tag,
    listed: listed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

function renderNavigation(
  { title, version }: OpenApiDocument["info"],
  guides: Guide[],
  groups: Group[],
): string {
  const guideItems = guides.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  const groupItems = groups.map(
    ({ name, listed }) => `<li>${escapeHtml(name)}<ul>${listed.map(navigationItem).join("")}</ul></li>`,
  );
  return `<nav aria-label="Contents">
<strong>${escapeHtml(title)}</strong> <small>API ${escapeHtml(version)}</small>
<ul>
<li>Guides<ul>${guideItems.join("")}</ul></li>
${groupItems.join("\n")}
<li><a href="#shapes">Shapes</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#errors">Errors</a></li>
</ul>
</nav>`;
}

function renderIntroduction({ info, servers }: OpenApiDocument): string {
  const paragraphs = info.description.split("\n\n").map((paragraph) => `<p>${inline(paragraph)}</p>`);
  const addresses = servers.map(
    ({ url, description }) => `<code>${escapeHtml(url)}</code> (${escapeHtml(description)})`,
  );
  return `<h1>${escapeHtml(info.title)}</h1>
${paragraphs.join("\n")}
<p>Base address: ${addresses.join(", ")}.
OpenAPI document for programs: <a href="openapi.json">openapi.json</a>, <a href="openapi.yaml">openapi.yaml</a>.</p>
<form id="key-form"><label for="key">API key for the forms below; kept in this tab only</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="ask_live_…"></form>`;
}

function renderGuide({ id, title, parts }: Guide): string {
  const rendered = parts.map((part) =>
    typeof part === "string" ? `<p>${inline(part)}</p>` : `<pre>${escapeHtml(part.code)}</pre>`,
  );
  return `<section id="${id}"><h3>${escapeHtml(title)}</h3>\n${rendered.join("\n")}</section>`;
}
