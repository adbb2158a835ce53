// Log lines for people: turns a JSON line of the log into aligned, coloured text for a terminal.

import { styleText } from "node:util";
import pino from "pino";
import { escapeUnsafe } from "../tools/shown-text.ts";

type Colour = "green" | "cyan" | "yellow" | "red" | "dim";
type Paint = (colour: Colour, text: string) => string;
type LogRecord = Record<string, unknown>;

const METHOD_WIDTH = 7;
const PATH_WIDTH = 36;
const DURATION_WIDTH = 8;
const LEVEL_WIDTH = 5;
const INDENT = " ".repeat(10);
const STATUS_COLOURS: Record<string, Colour> = { 2: "green", 3: "cyan", 4: "yellow", 5: "red" };
const LEVEL_COLOURS: Record<string, Colour> = { warn: "yellow", error: "red", fatal: "red" };

/** `lines` are complete JSON lines. */
export function formatLogLines(lines: string, hasColours: boolean): string {
  const paint: Paint = hasColours
    ? (colour, text) => styleText(colour, text, { validateStream: false })
    : (_colour, text) => text;
  const shown = lines.trimEnd().split("\n");
  return shown.map((line) => `${formatRecord(JSON.parse(line), paint)}\n`).join("");
}

function formatRecord(record: LogRecord, paint: Paint): string {
  const time = paint("dim", formatTime(String(record.time)));
  return `${time}  ${record.msg === "answered" ? formatAnswer(record, paint) : formatEvent(record, paint)}`;
}

/** One line per response: method, path, status, time, caller. */
function formatAnswer(record: LogRecord, paint: Paint): string {
  const { method, path, status, ms, keyId, keyName, address } = record;
  const caller = keyId === undefined ? String(address) : `key ${keyId} "${keyName}"`;
  const colour = STATUS_COLOURS[String(status).charAt(0)] ?? "dim";
  return [
    escapeUnsafe(String(method)).padEnd(METHOD_WIDTH),
    escapeUnsafe(String(path)).padEnd(PATH_WIDTH),
    paint(colour, String(status)),
    formatDuration(Number(ms)).padStart(DURATION_WIDTH),
    escapeUnsafe(caller),
  ].join("  ");
}

/** Level, message and fields in one line, and the stack of an error below it. */
function formatEvent(record: LogRecord, paint: Paint): string {
  const { level, time: _, msg, err, ...fields } = record;
  const { type, message, stack, ...details } = (err ?? {}) as LogRecord;
  const label = pino.levels.labels[Number(level)] ?? String(level);
  const title = paint(LEVEL_COLOURS[label] ?? "dim", label.toUpperCase().padEnd(LEVEL_WIDTH));
  const parts = Object.entries({ ...fields, ...details }).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const head = [String(msg ?? ""), ...parts].map(escapeUnsafe);
  const trace = err === undefined ? [] : String(stack ?? `${type}: ${message}`).split("\n");
  return [[title, ...head].join("  "), ...trace.map((line) => INDENT + escapeUnsafe(line))].join("\n");
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** In the time zone of the machine, as a person at the terminal expects. */
function formatTime(iso: string): string {
  const time = new Date(iso);
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
