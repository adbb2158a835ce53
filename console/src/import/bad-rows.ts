// The rows of the listed problems as a file: the reasons in a first column, then the columns of the imported file.

import type { ImportReport } from "../../../client/src/client.ts";
import { DELIMITERS, findSepDelimiter } from "../../../src/transfer/formats/csv-text.ts";
import { translate } from "./service-words.ts";

interface RawRecord {
  line: number;
  text: string;
}

export async function writeBadRows(file: File, report: ImportReport): Promise<Blob> {
  const { encoding, delimiter: name } = report.settings;
  const delimiter = DELIMITERS[name as keyof typeof DELIMITERS];
  const all = splitRecords(new TextDecoder(encoding).decode(await file.arrayBuffer()), delimiter);
  const hasSep = findSepDelimiter(all[0]?.text ?? "") !== undefined;
  const [header, ...records] = hasSep ? all.slice(1) : all;
  const reasons = new Map<number, string[]>();
  for (const { line, heading, message } of report.problems) {
    const reason = translate(message);
    const more = heading === undefined ? reason : `${heading}: ${reason}`;
    reasons.set(line, [...(reasons.get(line) ?? []), more]);
  }
  const rows = records.flatMap(({ line, text: row }) => {
    const found = reasons.get(line);
    return found === undefined ? [] : [`"${found.join("; ").replaceAll('"', '""')}"${delimiter}${row}`];
  });
  const lines = [`problem${delimiter}${header?.text ?? ""}`, ...rows, ""];
  return new Blob(["\uFEFF", lines.join("\r\n")], { type: "text/csv" });
}

/** The records with their first lines, without empty ones, as the file has them. */
function splitRecords(text: string, delimiter: string): RawRecord[] {
  const records: RawRecord[] = [];
  let line = 1;
  let from = 0;
  while (from < text.length) {
    const end = endOfRecord(text, from, delimiter);
    const record = text.slice(from, end);
    if (record.trim() !== "") records.push({ line, text: record });
    line += record.split(/\r\n|\r|\n/).length;
    from = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
  return records;
}

/** The index of the first line end outside of quotes. */
function endOfRecord(text: string, from: number, delimiter: string): number {
  let state = "start" as "start" | "plain" | "quoted" | "closed";
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (state === "quoted") state = character === '"' ? "closed" : "quoted";
    else if (character === "\n" || character === "\r") return at;
    else if (character === delimiter) state = "start";
    else state = character === '"' && state !== "plain" ? "quoted" : "plain";
  }
  return text.length;
}
