// Reads the rows of a file as an import does, without a store.

import { basename } from "node:path";
import type { ImportRequest, ImportSettings } from "../../../src/domain/animals/animal-import.ts";
import { createOrderFinder } from "../../../src/transfer/formats/cell-values.ts";
import type { Encoding } from "../../../src/transfer/formats/encodings.ts";
import { createFileRecords, type FileFormat } from "../../../src/transfer/formats/file-records.ts";
import { findColumns } from "../../../src/transfer/formats/find-columns.ts";
import type { FileRecord } from "../../../src/transfer/formats/lines.ts";
import { createRowReader, type Row } from "../../../src/transfer/import/read-row.ts";
import { readRowRules } from "../../../src/transfer/import/row-rules.ts";

const check = await readRowRules();

export const SETTINGS: ImportSettings = {
  map: {},
  dateOrder: "auto",
  createCategories: false,
  encoding: "auto",
  delimiter: "auto",
  skipBad: false,
};
/** 2026-11-18. */
export const NOW_MS = Date.UTC(2026, 10, 18);

interface ReadOptions {
  format?: FileFormat;
  encoding?: Encoding;
  delimiter?: string | undefined;
  excel?: boolean | undefined;
  pieceBytes?: number;
  settings?: Partial<ImportSettings>;
}

export function readRows(text: string | Buffer, options: ReadOptions = {}): Row[] {
  const { format = "csv", encoding = "utf-8", delimiter, excel = false, pieceBytes = 2 ** 16 } = options;
  const bytes = Buffer.from(text as string);
  const records = createFileRecords({ format, encoding, delimiter });
  const found: FileRecord[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    found.push(...records.push(bytes.subarray(at, at + pieceBytes)));
  found.push(...records.end());
  const settings = { ...SETTINGS, ...options.settings };
  const columns = findColumns(records.headings(), { map: settings.map });
  const orders = Array.from(records.headings(), (_, index) => {
    const finder = createOrderFinder();
    for (const { fields = [] } of found) if (typeof fields[index] === "string") finder.add(fields[index]);
    return finder.order();
  });
  return found.map(createRowReader({ format, columns, settings, orders, check, nowMs: NOW_MS, excel }));
}

/** The line with the animal of a good row, or with the messages of a bad one. */
export function showRow({ line, pet, problems }: Row) {
  return problems.length === 0
    ? { line, pet }
    : { line, problem: problems.map(({ message }) => message).join("; ") };
}

/** A request of the importer with the default settings. */
export function requestFor(path: string, changes: Partial<ImportRequest> = {}): ImportRequest {
  return {
    path,
    name: basename(path),
    format: path.endsWith(".ndjson") ? "ndjson" : "csv",
    settings: SETTINGS,
    isDryRun: false,
    origin: { atMs: 0 },
    signal: new AbortController().signal,
    onProgress: () => {},
    ...changes,
  };
}
