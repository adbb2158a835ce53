// Log lines on a terminal: one line per response, readable events, and no foreign text that controls the terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { formatLogLines } from "../../../src/log/terminal-lines.ts";

const TIME = "2026-11-15T14:03:07.123Z";
const ESCAPE = "\u001b";

/** As the clock of the machine shows TIME. */
const CLOCK = new Date(TIME).toTimeString().slice(0, 8);

const ANSWER = {
  level: 30,
  time: TIME,
  reqId: "abc",
  method: "GET",
  operation: "listPets",
  path: "/v1/pets?status=available",
  keyId: "1",
  keyName: "Website",
  status: 200,
  ms: 1.234,
  msg: "answered",
};

function format(record: object, hasColours = false): string {
  return formatLogLines(`${JSON.stringify(record)}\n`, hasColours);
}

/** The lines that the log writes for an event. */
function formatEvent(write: (log: pino.Logger) => void): string {
  let shown = "";
  const options = { base: null, timestamp: () => `,"time":"${TIME}"` };
  write(pino(options, { write: (line: string) => (shown += formatLogLines(line, false)) }));
  return shown;
}

test("a response is one line with method, path, status, time and key", () => {
  assert.equal(
    format(ANSWER),
    `${CLOCK}  GET      /v1/pets?status=available             200    1.2 ms  key 1 "Website"\n`,
  );
});

test("an anonymous response shows the address instead of the key", () => {
  const { keyId: _, keyName: __, ...anonymous } = ANSWER;
  assert.match(
    format({ ...anonymous, address: "192.0.2.7", status: 401 }),
    /401 {4}1\.2 ms {2}192\.0\.2\.7\n$/,
  );
});

test("the columns of several responses are aligned", () => {
  const others = [
    { ...ANSWER, method: "OPTIONS", path: "/v1/pets/7", status: 204, ms: 812.04 },
    { ...ANSWER, method: "POST", path: "/v1/store/orders", status: 503, ms: 3000 },
  ];
  const lines = [ANSWER, ...others].map((record) => JSON.stringify(record)).join("\n");
  const shown = formatLogLines(`${lines}\n`, false).trimEnd().split("\n");
  assert.deepEqual(new Set(shown.map((line) => line.indexOf("key 1"))).size, 1);
  assert.match(shown[1] ?? "", /204 {2}812\.0 ms/);
  assert.match(shown[2] ?? "", /503 {5}3\.0 s/);
});

test("the status has the colour of its class, and there are no colours without a terminal that has them", () => {
  const colours = { 200: 32, 304: 36, 404: 33, 500: 31 };
  for (const [status, code] of Object.entries(colours))
    assert.ok(
      format({ ...ANSWER, status }, true).includes(`${ESCAPE}[${code}m${status}${ESCAPE}[39m`),
      status,
    );
  assert.equal(format({ ...ANSWER, status: 500 }).includes(ESCAPE), false);
});

test("an event shows its level, message and fields", () => {
  assert.equal(
    formatEvent((log) => log.warn({ address: "http://0.0.0.0:80", nodes: 2 }, "PUBLIC_URL is not set")),
    `${CLOCK}  WARN   PUBLIC_URL is not set  address=http://0.0.0.0:80  nodes=2\n`,
  );
  assert.equal(
    formatEvent((log) => log.info("stopped")),
    `${CLOCK}  INFO   stopped\n`,
  );
});

test("an error shows its fields and its stack, with the cause", () => {
  const cause = new Error("connection refused");
  const err = Object.assign(new Error("no database", { cause }), { code: "unavailable" });
  const lines = formatEvent((log) => log.error({ reqId: "abc", err }, "a handler failed")).split("\n");
  assert.equal(lines[0], `${CLOCK}  ERROR  a handler failed  reqId=abc  code=unavailable`);
  assert.match(lines[1] ?? "", /^ {10}Error: no database$/);
  assert.match(lines[2] ?? "", /^ {14}at /);
  assert.ok(lines.some((line) => line.includes("caused by: Error: connection refused")));
});

test("foreign text cannot control the terminal or begin a line", () => {
  const attack = "a\u001b[2J\r\nb\u009b31m\u202ec\u2066d\u2028e\u007f";
  const shown = "a\\x1b[2J\\x0d\\x0ab\\x9b31m\\u202ec\\u2066d\\u2028e\\x7f";
  const answers = [
    { ...ANSWER, path: attack },
    { ...ANSWER, keyName: attack },
    { ...ANSWER, keyId: undefined, address: attack },
    { ...ANSWER, method: attack },
  ];
  for (const record of answers) {
    const line = format(record);
    assert.ok(line.includes(shown), line);
    assert.equal(line.indexOf("\n"), line.length - 1);
  }
  const err = Object.assign(new Error(attack), { detail: attack });
  const event = formatEvent((log) => log.error({ err, field: attack, [attack]: 1 }, attack));
  assert.doesNotMatch(event.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}\u2028]/u);
  assert.ok(
    event.startsWith(`${CLOCK}  ERROR  ${shown}  field=${shown}  ${shown}=1  detail=${shown}\n`),
    event,
  );
  // Only the stack has more lines, and all of them are indented.
  for (const line of event.trimEnd().split("\n").slice(1)) assert.match(line, /^ {10}/);
});
