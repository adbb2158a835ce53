// External text is read in linear time: every regular expression of the code is tested with its worst inputs.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { parseJson as parseAnswer } from "../../../client/src/json.ts";
import { linesPattern, namePattern, textPattern } from "../../../src/domain/basics/text.ts";
import { parseJson } from "../../../src/http/request/body.ts";
import { TYPE_LIST } from "../../../src/http/schemas/events.ts";
import { STATUS_LIST } from "../../../src/http/schemas/listings.ts";
import { HTTPS_URL, idListPattern } from "../../../src/http/schemas/members.ts";
import { EMAIL, NEAR } from "../../../src/http/schemas/shelters.ts";
import { createCsvRecords } from "../../../src/transfer/formats/csv-records.ts";
import { createFileRecords } from "../../../src/transfer/formats/file-records.ts";

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
const PIECE_BYTES = 2 ** 16;

/** Texts to repeat, and texts at the end that make a match fail. */
const PUMPS = [
  ..." \t0159aAzZ%?/:;,=\"'.-+<>&\\",
  ...String.raw`""|\"|W/|%2| ;|; |1.|::|<>|<>;a|;a="|="|a | a|0 |ab=`.split("|"),
];
const ENDS = ["", "x", " ", "\u0000", '"', "1"];

/** Below this time growth is harmless and cannot be measured. */
const HARMLESS_MS = 2;
const PARTS = 64;
const GROWTH_MAX = 16;
const RUNS_MAX = 5;
/** Texts for each repeated part, since a pattern may have alternatives before it. */
const SAMPLES = 2;

const LITERAL =
  /(?<=[=(,:!&|?[{;>]\s*|\breturn\s+)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*(?=\s*[,.;)\]}:?])/g;

const CLOSED_STRINGS = "reads JSON that was parsed before, so every string is closed";
/** Patterns that are not attacked, and why. */
const EXEMPT = new Map<string, string>([
  [String(/"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g), CLOSED_STRINGS],
  [String(/"(?:[^"\\]|\\.)*"(\s*:)?|-?[0-9][0-9.eE+-]*/g), CLOSED_STRINGS],
  [String(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g), CLOSED_STRINGS],
  [String(/\d+\.\d+\.\d+\.\d+$/), "reads an IPv6 address, at most 45 characters"],
  [String(/([a-z]+)=([0-9]+)/g), "reads matches of the pattern before it, where a number follows every word"],
  [String(/\/+$/), "reads the caller's own base URL"],
  [String(/(?<=\n)/), "reads our own text, and nothing is repeated"],
  [String(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu), "reads one character at a time"],
]);

/** Patterns that are built at run time, by the code that builds them. */
const BUILT = new Map<string, RegExp[]>([
  ['new RegExp(CUSTOM_NAME.replace("^", String.raw`^custom\\.`))', [/^custom\.[a-z][A-Za-z0-9]{0,39}$/]],
  [`new RegExp(\`^\${escaped.replaceAll(/:\\w+/g, "[^/]+")}$\`)`, [/^\/v1\/pets\/[^/]+\/history$/]],
  [
    'new RegExp(schema.pattern ?? "", "u")',
    [
      namePattern(255),
      textPattern(255),
      linesPattern(10_000),
      TYPE_LIST,
      STATUS_LIST,
      idListPattern(100),
      HTTPS_URL,
      NEAR,
      EMAIL,
    ].map((each) => new RegExp(each, "u")),
  ],
  ['new RegExp(namePattern(KEY_NAME_MAX), "u")', [new RegExp(namePattern(100), "u")]],
  ['new RegExp(namePattern(PERSON_NAME_MAX), "u")', [new RegExp(namePattern(100), "u")]],
]);

const FILES = GUARDED.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })).sort();

function findInSource(file: string, pattern: RegExp): string[] {
  const code = readFileSync(join(ROOT, file), "utf8").replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, "");
  return [...code.matchAll(pattern)].map(([text]) => text);
}

function toPattern(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** Texts that match the pattern up to each repeated part: samples of the pattern cut off there. */
function leadsOf({ source, flags }: RegExp): string[] {
  // fast-check reads neither assertions nor the escape of NUL.
  const plain = source
    .replaceAll(/\(\?<?[=!](?:[^()\\]|\\.|\[[^\]]*\])*\)|\\b/g, "")
    .replaceAll("\\0", "\\x01");
  const leads = new Set([""]);
  let open = 0;
  for (const { 0: part, index } of plain.matchAll(/\\.|\[(?:[^\]\\]|\\.)*\]|[()*+]|\{\d+,\d*\}/g)) {
    if (part === "(") open += 1;
    else if (part === ")") open -= 1;
    else if (/^[*+{]/.test(part)) {
      const cut = new RegExp(plain.slice(0, index) + ")".repeat(open), flags.replaceAll(/[giy]/g, ""));
      const matching = fc.stringMatching(cut, { size: "xsmall" });
      for (const lead of fc.sample(matching, { numRuns: SAMPLES, seed: 1 })) leads.add(lead);
    }
  }
  return [...leads];
}

for (const file of FILES) {
  const literals = findInSource(file, LITERAL).filter((literal) => !EXEMPT.has(literal));
  if (literals.length === 0) continue;
  test(`the patterns of ${file} take linear time`, () => {
    for (const pattern of literals.map(toPattern)) attack(pattern);
  });
}

test("the patterns that are built at run time take linear time", () => {
  const built = FILES.flatMap((file) => findInSource(file, /new RegExp\(.*\)(?=;)/g));
  assert.deepEqual(built.toSorted(), [...BUILT.keys()].toSorted());
  for (const pattern of [...BUILT.values()].flat()) attack(pattern);
});

test("every exempt pattern is in the code", () => {
  const literals = FILES.flatMap((file) => findInSource(file, LITERAL));
  assert.deepEqual(
    [...EXEMPT.keys()].filter((literal) => !literals.includes(literal)),
    [],
  );
});

/** Reads a text of about this size: code that takes several steps. */
type Reading = (bytes: number) => () => void;
type Text = (bytes: number) => string;

const json = (text: Text): Reading => prepare(text, (body) => parseJson(body));
const response = (text: Text): Reading => prepare(text, (body) => parseAnswer(String(body)));
const csv = (text: Text): Reading => prepare(text, (file) => readPieces(createCsvRecords(), file));
const ndjson = (text: Text): Reading => prepare(text, (file) => readPieces(openRecords("utf-8"), file));

function prepare(text: Text, read: (bytes: Buffer) => unknown): Reading {
  return (bytes) => {
    const file = Buffer.from(text(bytes));
    return () => void read(file);
  };
}

const openRecords = (encoding: "utf-8" | "utf-16le") => createFileRecords({ format: "ndjson", encoding });

const READERS: Record<string, [bytes: number, read: Reading]> = {
  "a number with zeros inside": [RECORD_BYTES, json((n) => `{"a":1${"0".repeat(n)}1}`)],
  "a number with zeros after the point": [RECORD_BYTES, json((n) => `{"a":0.${"0".repeat(n)}1e${n}}`)],
  "many long numbers": [RECORD_BYTES / 4, json((n) => `[${"1000000000000000001,".repeat(n / 20)}1]`)],
  "a response with a long string": [
    REQUEST_BYTES,
    response((n) => `["${'\\"'.repeat(n / 2)}",1000000000000000001]`),
  ],
  "a response of strings and white space": [
    REQUEST_BYTES,
    response((n) => `[${'""     ,'.repeat(n / 8)}1000000000000000001${" ".repeat(n)}]`),
  ],
  "a CSV header that does not end": [RECORD_BYTES / 2, csv((n) => "a,".repeat(n / 2))],
  "a CSV header of quotes": [RECORD_BYTES / 2, csv((n) => `${'"a",'.repeat(n / 4)}\n`)],
  "empty lines before a CSV header": [RECORD_BYTES / 8, csv((n) => "\n ".repeat(n / 2))],
  "a long CSV field": [RECORD_BYTES, csv((n) => `a,b\n"${"x".repeat(n - 9)}"`)],
  "a CSV record of quotes": [RECORD_BYTES, csv((n) => `a,b\n${'"",'.repeat(n / 3 - 9)}`)],
  "a CSV field of doubled quotes": [RECORD_BYTES, csv((n) => `a,b\n"${'""'.repeat(n / 2 - 9)}"`)],
  "a long line of NDJSON": [RECORD_BYTES, ndjson((n) => `{"name":"${"x ".repeat(n / 2 - 99)}"}`)],
  "UTF-16 of half surrogate pairs": [
    RECORD_BYTES / 4,
    (bytes) => {
      const file = Buffer.from("\ud83d".repeat(bytes / 2), "utf16le");
      return () => readPieces(openRecords("utf-16le"), file);
    },
  ],
};

for (const [what, [bytes, read]] of Object.entries(READERS))
  test(`reading ${what} takes linear time`, () => assertLinear(read, bytes, what));

interface Reader {
  push(bytes: Buffer): unknown[];
  end(): unknown[];
}

function readPieces(reader: Reader, file: Buffer): void {
  for (let at = 0; at < file.length; at += PIECE_BYTES) reader.push(file.subarray(at, at + PIECE_BYTES));
  reader.end();
}

function attack(pattern: RegExp): void {
  for (const lead of leadsOf(pattern))
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
  let small: (() => void) | undefined;
  let largeMs = Infinity;
  let smallMs = Infinity;
  for (let run = 0; run < RUNS_MAX; run++) {
    largeMs = Math.min(largeMs, timeOf(large, 1));
    if (largeMs < HARMLESS_MS) return;
    small ??= prepare(bytes / PARTS);
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
