// `settings`: prints every setting with its value and where the value comes from.

import { describeSettings, listSettings } from "../config/config.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, SWITCH } from "./command.ts";
import { printJson, printTable, wrapText } from "./output.ts";

const COLUMNS_MAX = 120;
const INDENT = " ".repeat(6);

const MEANINGS = describeSettings().map((setting) => {
  const text = `${plain(setting.description)} Default: ${plain(setting.default)}.`;
  const lines = wrapText(text, COLUMNS_MAX - INDENT.length);
  return [`  ${setting.name}`, ...lines.map((line) => INDENT + line)].join("\n");
});

export const command = defineCommand({
  help: `Usage: ${COMMAND} settings [--json]

Prints the value of every setting and its source: the environment, the file .env in the working folder, or the default.
The environment wins over the file. Secrets and passwords are not printed.

  --json   print the settings as JSON, with their meaning

${MEANINGS.join("\n")}`,
  options: { json: SWITCH },
  async run({ json }) {
    const rows = listSettings().map((row) => ({
      name: row.name,
      value: row.value ?? null,
      source: row.source,
      default: plain(row.default),
      description: plain(row.description),
    }));
    if (json) return printJson(rows);
    printTable(
      ["SETTING", "VALUE", "SOURCE"],
      rows.map((row) => [row.name, row.value ?? row.default, row.source]),
    );
  },
});

/** The descriptions are Markdown. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}
