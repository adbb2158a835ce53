// The rows of the listed problems as a file: the reasons in a first column, then the columns of the imported file.

import type { ImportReport } from "../../../client/src/client.ts";
import { DELIMITERS, findSepDelimiter } from "../../../src/transfer/formats/csv-text.ts";
import { translate } from "./service-words.ts";

/** At the end of the messages about a row of several lines. */
const LAST_LINE = /\(the row ends on line (\d+)\)$/;

interface BadRow {
  lastLine: number;
  reasons: string[];
}

export async function writeBadRows(file: File, report: ImportReport): Promise<Blob> {
  const { encoding, delimiter: name } = report.settings;
  const delimiter = DELIMITERS[name as keyof typeof DELIMITERS];
  const lines = new TextDecoder(encoding).decode(await file.arrayBuffer()).split(/\r\n|\r|\n/);
  const rows = Array.from(groupByLine(report), ([line, { lastLine, reasons }]) => {
    const reason = reasons.join("; ").replaceAll('"', '""');
    return `"${reason}"${delimiter}${lines.slice(line - 1, lastLine).join("\n")}`;
  });
  const text = [`problem${delimiter}${findHeader(lines)}`, ...rows, ""].join("\r\n");
  return new Blob(["\uFEFF", text], { type: "text/csv" });
}

function groupByLine({ problems }: ImportReport): Map<number, BadRow> {
  const rows = new Map<number, BadRow>();
  for (const { line, heading, message } of problems) {
    const reason = translate(message);
    const row = rows.get(line) ?? { lastLine: Number(LAST_LINE.exec(message)?.[1] ?? line), reasons: [] };
    row.reasons.push(heading === undefined ? reason : `${heading}: ${reason}`);
    rows.set(line, row);
  }
  return rows;
}

/** A heading with line breaks is in quotes, so the number of quotes is even where the header ends. */
function findHeader(lines: string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "" && findSepDelimiter(line) === undefined);
  let quotes = 0;
  const last = lines.findIndex((line, index) => {
    if (index >= first) quotes += line.split('"').length - 1;
    return index >= first && quotes % 2 === 0;
  });
  return lines.slice(first, last + 1).join("\n");
}
