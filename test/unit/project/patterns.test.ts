// External text is read in linear time: every pattern of patterns.ts is tested with its worst inputs.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseJson as parseAnswer } from "../../../client/src/json.ts";
import { parseJson } from "../../../src/http/request/body.ts";
import { createCsvRecords } from "../../../src/transfer/formats/csv-records.ts";
import { createFileRows } from "../../../src/transfer/formats/file-formats.ts";
import { readRowRules } from "../../../src/transfer/import/row-rules.ts";
import { BUILT, PATTERNS } from "./patterns.ts";

const rules = await readRowRules();
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Folders that read external text: headers, bodies, URLs, files. Other folders read settings, flags and our own SQL. */
const GUARDED = [
  "src/http",
  "src/reference",
  "src/files",
  "src/tools",
  "src/transfer",
  "src/domain",
  "src/webhooks",
  "client/src",
  "console/src",
];

/** The largest header block and the largest body. */
const REQUEST_BYTES = 16 * 1024;
const RECORD_BYTES = 2 ** 20;

/** Texts to repeat, and texts at the end that make a match fail. */
const PUMPS = [
  ..." \t0159aAzZ%?/:;,=\"'.-+<>&\\",
  '""',
  '\\"',
  "W/",
  "%2",
  " ;",
  "; ",
  "1.",
  "::",
  "<>",
  "<>;a",
  ';a="',
  '="',
  "a ",
  " a",
  "0 ",
  "ab=",
];
const ENDS = ["", "x", " ", "\u0000", '"', "1"];

/** Below this time growth is harmless and cannot be measured. */
const HARMLESS_MS = 2;
const PARTS = 64;
const GROWTH_MAX = 16;
const RUNS_MAX = 5;

const LITERAL =
  /(?<=[=(,:!&|?[{;>]\s*|\breturn\s+)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*(?=\s*[,.;)\]}:?])/g;

function findInSources(pattern: RegExp): Record<string, string[]> {
  const files = GUARDED.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })).sort();
  const found = files.map((file) => {
    const code = readFileSync(join(ROOT, file), "utf8").replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, "");
    return [file, [...code.matchAll(pattern)].map(([text]) => text)] as const;
  });
  return Object.fromEntries(found.filter(([, texts]) => texts.length > 0));
}

test("every regular expression of the code is listed in patterns.ts", () => {
  const listed = Object.entries(PATTERNS).map(([file, rows]) => [
    file,
    rows.map(([pattern]) => String(pattern)),
  ]);
  assert.deepEqual(sorted(findInSources(LITERAL)), sorted(Object.fromEntries(listed)));
  const built = Object.entries(BUILT).map(([file, { code }]) => [file, [code]]);
  assert.deepEqual(sorted(findInSources(/new RegExp\(.*\)(?=;)/g)), sorted(Object.fromEntries(built)));
});

for (const [file, rows] of Object.entries(PATTERNS)) {
  const external = rows.filter((row): row is [RegExp, string[]] => row[1] !== undefined);
  if (external.length === 0) continue;
  test(`the patterns of ${file} take linear time`, () => {
    for (const [pattern, leads] of external) attack(pattern, leads);
  });
}

for (const [file, { patterns }] of Object.entries(BUILT)) {
  test(`the patterns that ${file} builds take linear time`, () => {
    for (const pattern of patterns) attack(pattern, ["", "a", "a ", "/v1/pets/"]);
  });
}

const json = (text: (count: number) => string) => (bytes: number) => {
  const body = Buffer.from(text(bytes));
  return () => void parseJson(body);
};
const response = (text: (count: number) => string) => (bytes: number) => {
  const body = text(bytes);
  return () => void parseAnswer(body);
};
const csv = (text: (count: number) => string, pieceBytes: number) => (bytes: number) => {
  const file = Buffer.from(text(bytes));
  return () => readPieces(createCsvRecords(), file, pieceBytes);
};
const ndjson = (text: (count: number) => string, pieceBytes: number) => (bytes: number) => {
  const file = Buffer.from(text(bytes));
  return () => readPieces(createFileRows({ ...NDJSON, encoding: "utf-8" }, rules), file, pieceBytes);
};
const NDJSON = { format: "ndjson" as const, headings: {} };
const utf16 = (text: (count: number) => string, pieceBytes: number) => (bytes: number) => {
  const file = Buffer.from(text(bytes / 2), "utf16le");
  return () => readPieces(createFileRows({ ...NDJSON, encoding: "utf-16le" }, rules), file, pieceBytes);
};

/** Code that reads text in several steps. */
const READERS: Record<string, { bytes: number; prepare(bytes: number): () => void }> = {
  "a number with zeros inside": { bytes: RECORD_BYTES, prepare: json((n) => `{"a":1${"0".repeat(n)}1}`) },
  "a number with zeros after the point": {
    bytes: RECORD_BYTES,
    prepare: json((n) => `{"a":0.${"0".repeat(n)}1e${n}}`),
  },
  "many long numbers": {
    bytes: RECORD_BYTES / 4,
    prepare: json((n) => `[${"1000000000000000001,".repeat(n / 20)}1]`),
  },
  "a response with a long string": {
    bytes: REQUEST_BYTES,
    prepare: response((n) => `["${'\\"'.repeat(n / 2)}",1000000000000000001]`),
  },
  "a response of strings and white space": {
    bytes: REQUEST_BYTES,
    prepare: response((n) => `[${'""     ,'.repeat(n / 8)}1000000000000000001${" ".repeat(n)}]`),
  },
  "a CSV header that does not end": {
    bytes: RECORD_BYTES / 2,
    prepare: csv((n) => "a,".repeat(n / 2), 2 ** 16),
  },
  "a CSV header of quotes": {
    bytes: RECORD_BYTES / 2,
    prepare: csv((n) => `${'"a",'.repeat(n / 4)}\n`, 2 ** 16),
  },
  "empty lines before a CSV header": {
    bytes: RECORD_BYTES / 8,
    prepare: csv((n) => "\n ".repeat(n / 2), 2 ** 16),
  },
  "a long CSV field": {
    bytes: RECORD_BYTES,
    prepare: csv((n) => `a,b\n"${"x".repeat(n - 9)}"`, 2 ** 16),
  },
  "a CSV record of quotes": {
    bytes: RECORD_BYTES,
    prepare: csv((n) => `a,b\n${'"",'.repeat(n / 3 - 9)}`, 2 ** 16),
  },
  "a CSV field of doubled quotes": {
    bytes: RECORD_BYTES,
    prepare: csv((n) => `a,b\n"${'""'.repeat(n / 2 - 9)}"`, 2 ** 16),
  },
  "a long line of NDJSON": {
    bytes: RECORD_BYTES,
    prepare: ndjson((n) => `{"name":"${"x ".repeat(n / 2 - 99)}"}`, 2 ** 16),
  },
  "UTF-16 of half surrogate pairs": {
    bytes: RECORD_BYTES / 4,
    prepare: utf16((n) => "\ud83d".repeat(n), 2 ** 16),
  },
};

for (const [what, { bytes, prepare }] of Object.entries(READERS)) {
  test(`reading ${what} takes linear time`, () => assertLinear(prepare, bytes, what));
}

interface Reader {
  push(bytes: Buffer): unknown[];
  end(): unknown[];
}

function readPieces(reader: Reader, file: Buffer, pieceBytes: number): void {
  for (let at = 0; at < file.length; at += pieceBytes) reader.push(file.subarray(at, at + pieceBytes));
  reader.end();
}

function attack(pattern: RegExp, leads: string[]): void {
  for (const lead of leads)
    for (const pump of PUMPS)
      for (const end of ENDS) {
        const prepare = (bytes: number) => {
          // Through a buffer, since the first reader of a concatenated string would pay for joining it.
          const text = Buffer.from(lead + pump.repeat(bytes / pump.length) + end).toString();
          return pattern.global ? () => void text.replaceAll(pattern, "") : () => void pattern.test(text);
        };
        assertLinear(prepare, REQUEST_BYTES, `${pattern} with ${JSON.stringify([lead, pump, end])}`);
      }
}

/**
 * One text of 64 times the size must take about as long as 64 small texts; a quadratic reader takes 64 times as long. Both
 * measurements take about the same time, so that a busy machine affects both equally.
 */
function assertLinear(prepare: (bytes: number) => () => void, bytes: number, what: string): void {
  const large = prepare(bytes);
  const small = prepare(bytes / PARTS);
  let largeMs = Infinity;
  let smallMs = Infinity;
  for (let run = 0; run < RUNS_MAX; run++) {
    largeMs = Math.min(largeMs, timeOf(large, 1));
    if (largeMs < HARMLESS_MS) return;
    smallMs = Math.min(smallMs, timeOf(small, PARTS));
    if (largeMs / smallMs < GROWTH_MAX) return;
  }
  assert.fail(`${what}: ${largeMs.toFixed(1)} ms, and in ${PARTS} parts ${smallMs.toFixed(1)} ms`);
}

function timeOf(work: () => void, times: number): number {
  const beginMs = performance.now();
  for (let time = 0; time < times; time++) work();
  return performance.now() - beginMs;
}

function sorted(found: Record<string, string[]>): Array<[string, string[]]> {
  return Object.entries(found)
    .map(([file, texts]): [string, string[]] => [file, texts.toSorted()])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
