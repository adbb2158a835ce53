// Asks the program that listens on PORT what it is, with a limit on time and on bytes.

import { http } from "../../tools/node-http.ts";
import { escapeUnsafe } from "../../tools/shown-text.ts";

/** `/readyz` waits for a database that does not answer, for at most 3 s. */
const ANSWER_MS = 4_000;
const BODY_BYTES_MAX = 64 * 1024;
const TEXT_LENGTH_MAX = 200;
const TEXTS_MAX = 10;

export interface RunningStore {
  /** Undefined in release 1.0. */
  version: string | undefined;
  /** Which store it serves; undefined in release 1.0, and if it is not ready. */
  storeId: string | undefined;
  status: string;
  reasons: string[];
}

/** Undefined if it is another program. */
export async function findRunningStore(url: string): Promise<RunningStore | undefined> {
  const [health, readiness] = await Promise.all([ask(`${url}/healthz`), ask(`${url}/readyz`)]);
  const { status: life, version } = toRecord(health?.body);
  const { status, reasons, store, code, message } = toRecord(readiness?.body);
  const isAlive = health?.status === 200 && (life === "alive" || (life === "ok" && version !== undefined));
  // Other programs have such a /healthz, too.
  const isOurs = readiness === undefined || Array.isArray(reasons) || code === "unavailable";
  if (!isAlive || !isOurs) return undefined;
  const running = { version: toText(version), storeId: toText(store) };
  if (readiness === undefined) return { ...running, status: "silent", reasons: ["/readyz does not answer"] };
  if (readiness.status !== 200)
    return { ...running, status: "not ready", reasons: [toText(message) ?? `/readyz ${readiness.status}`] };
  return { ...running, status: toText(status) ?? "ready", reasons: toTexts(reasons) };
}

/** Undefined if there is no complete answer within the limits. A body that is not JSON is undefined. */
function ask(url: string): Promise<{ status: number | undefined; body: unknown } | undefined> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const options = { agent: false, headers: { connection: "close" }, signal };
    const asking = http.request(url, options, async (response) => {
      try {
        let body = "";
        for await (const part of response.setEncoding("utf8")) {
          body += part;
          if (body.length > BODY_BYTES_MAX) break;
        }
        resolve({ status: response.statusCode, body: parse(body) });
      } catch {
        resolve(undefined);
      }
    });
    asking.on("error", () => resolve(undefined)).end();
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Shortened, and without control characters: the other program may send anything. */
function toText(value: unknown): string | undefined {
  return typeof value === "string" ? escapeUnsafe(value.slice(0, TEXT_LENGTH_MAX)) : undefined;
}

function toTexts(value: unknown): string[] {
  const values = Array.isArray(value) ? value.slice(0, TEXTS_MAX) : [];
  return values.map(toText).filter((each) => each !== undefined);
}
