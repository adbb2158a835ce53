// The whole reference as one Markdown file, for /docs.md.

import type { Block, Chapter, Contents, Row, Section } from "./blocks.ts";

export function renderMarkdown({ title, version, introduction, chapters }: Contents): string {
  const blocks = [
    `# ${title}`,
    `API ${version}.`,
    ...introduction.map(renderBlock),
    ...chapters.map(renderChapter),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function renderChapter({ title, blocks, sections }: Chapter): string {
  return [`## ${title}`, ...blocks.map(renderBlock), ...sections.map(renderSection)].join("\n\n");
}

function renderSection({ title, address, isDeprecated, blocks }: Section): string {
  const parts = [
    `### ${title}${isDeprecated ? " (deprecated)" : ""}`,
    address ? `\`${address.method} ${address.path}\`` : "",
    ...blocks.map(renderBlock),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Empty for what only the page has. */
function renderBlock(block: Block): string {
  switch (block.kind) {
    case "text":
      return plain(block.text);
    case "code":
      return renderCode(block.language, block.code);
    case "table":
      return renderTable(block.head, block.rows);
    case "details":
      return [`${block.title}:`, ...block.blocks.map(renderBlock)].join("\n\n");
    case "samples": {
      const { status, body } = block.response;
      return [
        ...block.samples.map(({ title, language, code }) => `${title}:\n\n${renderCode(language, code)}`),
        body === undefined
          ? `Response ${status}, without a body.`
          : `Response ${status}: ${plain(body.type)}, for example\n\n${renderCode(body.language, body.code)}`,
      ].join("\n\n");
    }
    case "form":
    case "preview":
      return "";
  }
}

function renderCode(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

function renderTable(head: string[], rows: Row[]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => plain(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(({ cells }) => line(cells))].join("\n");
}

/** Without links, because Markdown has no fixed rule for the addresses of headings. Outside of code, a < is no HTML. */
function plain(text: string): string {
  return text
    .replaceAll(/\[(\w+)\]\(#[\w-]+\)/g, "$1")
    .replaceAll(/`[^`]*`|</g, (found) => (found === "<" ? "\\<" : found));
}
