// Reads the response of an import that shows its progress: lines, of which the last is the report or an error.

import type { Received } from "./answer.ts";
import { parseJson } from "./json.ts";
import type { ServiceRequest } from "./request.ts";

const NDJSON = "application/x-ndjson";
const REPORT = '{"report":';

interface Line {
  progress?: { rows: number };
  error?: { status: number };
}

interface ReadOptions extends Pick<ServiceRequest, "onProgress"> {
  /** Called when bytes arrive. */
  keepWaiting(): void;
}

export function isProgress({ headers, body }: Response): boolean {
  return body !== null && (headers.get("content-type") ?? "").startsWith(NDJSON);
}

/** Resolves to the response that the service would have given without progress. Throws where the last line is missing. */
export async function readProgress(
  response: Response,
  { onProgress, keepWaiting }: ReadOptions,
): Promise<Received> {
  const { status, headers } = response;
  for await (const text of readLines(response, keepWaiting)) {
    if (text.startsWith(REPORT))
      return { response: { ok: true, status, headers }, text: text.slice(REPORT.length, -1) };
    const { progress, error } = parseJson(text) as Line;
    if (error !== undefined)
      return { response: { ok: false, status: error.status, headers }, text: JSON.stringify(error) };
    if (progress !== undefined) onProgress?.(progress.rows);
  }
  throw new Error("The response has no last line.");
}

async function* readLines({ body }: Response, onBytes: () => void): AsyncGenerator<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
