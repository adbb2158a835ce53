// Writes the generated files: the OpenAPI document, the generated client code, and the tables of errors and settings.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderClient } from "../client/generate.ts";
import { describeSettings } from "../src/config/settings.ts";
import { ERRORS } from "../src/domain/basics/errors.ts";

const HERE = import.meta.dirname;

/** Addresses in the committed document; a running service publishes its own. */
const SAMPLE_ADDRESSES = {
  PUBLIC_URL: "https://animals.example.org",
  STAGING_URL: "https://staging.animals.example.org",
};

/** Text of every generated file, by its path from this folder. */
export function renderGenerated(): Map<string, string> {
  const openApi = renderOpenApi();
  const client = renderClient(JSON.parse(openApi));
  return new Map([
    ["openapi.json", openApi],
    ["../client/src/generated/shapes.ts", client.shapes],
    ["../client/src/generated/operations.ts", client.operations],
    ["errors.md", fillTable("errors.md", ["Code", "Status", "Message"], errorRows())],
    ["operating.md", fillTable("operating.md", ["Variable", "Default", "Meaning"], settingRows())],
  ]);
}

function renderOpenApi(): string {
  const main = join(HERE, "../src/main.ts");
  // Without a developer's .env.
  const env = { PATH: process.env.PATH, ENV_FILE: "/dev/null", ...SAMPLE_ADDRESSES };
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

/** The current file with a new table between its two marks. */
function fillTable(file: string, head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const text = readFileSync(join(HERE, file), "utf8");
  const filled = text.replace(
    /(<!-- table -->\n)[\s\S]*(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${lines.join("\n")}\n${end}`,
  );
  if (!filled.includes(lines.join("\n"))) throw new Error(`docs/${file} has no marks around its table`);
  return filled;
}

if (import.meta.main) {
  for (const [file, text] of renderGenerated()) writeFileSync(join(HERE, file), text);
}
