// Responses of the fast path as bytes, to compare them with those of the framework.

import type http from "node:http";
import { ADMIN_KEY, type AppHarness } from "../servers/app.ts";
import { sendRaw } from "./socket.ts";

/** An empty body changes no response, and sends the request through the framework. */
export const THROUGH_THE_FRAMEWORK = "content-length: 0\r\n";

/**
 * The response to a GET as bytes, without the parts that differ between any two requests. `extra`: header lines. An empty
 * `key` is not sent.
 */
export async function readBytes(
  { url, port }: AppHarness,
  path: string,
  { key = ADMIN_KEY, extra = "" }: { key?: string; extra?: string } = {},
): Promise<string> {
  const bearer = key === "" ? "" : `authorization: Bearer ${key}\r\n`;
  const head = `GET /v1${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${bearer}`;
  const text = await sendRaw(port, `${head}x-request-id: same\r\n${extra}connection: close\r\n\r\n`);
  return text
    .replace(/\r\ndate: [^\r]+/i, "")
    .replace(/x-ratelimit-remaining: \d+/, "x-ratelimit-remaining: N")
    .replaceAll(/;r=\d+/g, ";r=N");
}

/** Whether the fast path itself answered each of the requests that `send` makes. */
export async function areTaken({ service }: AppHarness, send: () => Promise<unknown>): Promise<boolean[]> {
  const taken: boolean[] = [];
  const note: http.RequestListener = (request, response) =>
    response.once("finish", () => taken.push(request.pending?.requestId !== ""));
  service.app.server.on("request", note);
  await send();
  service.app.server.off("request", note);
  return taken;
}
