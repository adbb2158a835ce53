// Writes what is repeated from the code: the OpenAPI document, the client's part of it, the tables of errors and of settings.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderClient } from "../client/generate.ts";
import { ERRORS } from "../src/domain/errors.ts";
import { describeSettings } from "../src/settings.ts";

const HERE = import.meta.dirname;

/** The addresses in the committed document; every service puts its own there. */
const SAMPLE_ADDRESSES = {
  PUBLIC_URL: "https://animals.example.org",
  STAGING_URL: "https://staging.animals.example.org",
};

/** Every generated file, from this folder, with the text it should have. */
export function renderGenerated(): Map<string, string> {
  const openApi = renderOpenApi();
  return new Map([
    ["openapi.json", openApi],
    ["../client/src/generated.ts", renderClient(JSON.parse(openApi))],
    ["errors.md", fillTable("errors.md", ["Code", "Status", "Message"], errorRows())],
    ["operating.md", fillTable("operating.md", ["Variable", "Default", "Meaning"], settingRows())],
  ]);
}

function renderOpenApi(): string {
  const main = join(HERE, "../src/main.ts");
  const env = { PATH: process.env.PATH, ...SAMPLE_ADDRESSES };
  return execFileSync(process.execPath, [main, "openapi"], { env, encoding: "utf8" });
}

function errorRows(): string[][] {
  return Object.entries(ERRORS).map(([code, { status, message }]) => [
    `\`${code}\``,
    String(status),
    message,
  ]);
}

function settingRows(): string[][] {
  return describeSettings().map((setting) => [`\`${setting.name}\``, setting.default, setting.description]);
}

/** The file as it stands, with the table between its two marks made anew. */
function fillTable(file: string, head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const text = readFileSync(join(HERE, file), "utf8");
  const filled = text.replace(
    /(<!-- table -->\n)[\s\S]*(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${lines.join("\n")}\n${end}`,
  );
  if (!filled.includes(lines.join("\n"))) throw new Error(`docs/${file} has lost the marks around its table`);
  return filled;
}

if (import.meta.main) {
  for (const [file, text] of renderGenerated()) writeFileSync(join(HERE, file), text);
}
