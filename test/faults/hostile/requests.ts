// Requests of hostile clients as bytes, some of them valid.

import type { Random } from "./random.ts";

const PATHS = [
  "/openapi.json",
  "/openapi.yaml",
  "/docs",
  "/",
  "/console/console-AAAAAAAA.js",
  "/healthz",
  "/readyz",
  "/v1/pets",
  "/v1/pets?limit=100",
  "/v1/pets?limit=1&status=sold",
  "/v1/pets/1",
  "/v1/store/orders",
  "/v1/usage",
  "/v1/nothing",
  "/%ff%00",
  "*",
];
const METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PURGE"];

export function get(path: string, key?: string): string {
  const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
}

export function post(path: string, options: { key: string; body: string; type?: string }): string {
  const { key, body, type = "application/json" } = options;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Anything from a valid request to random bytes. */
export function anyRequest(random: Random, key: string): string {
  switch (random.below(8)) {
    case 0:
      return post("/v1/pets", { key, body: '{"name":"Rex","categoryId":1,"status":"sold"}' });
    case 1:
      return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"nam\r\n0\r\n\r\n`;
    case 2:
      return `${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`;
    case 3:
      return `\x00\xff rubbish ${random.below(1e9)}\r\n\r\n`;
    default:
      return `${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${random.pick([key, "wrong"])}\r\n\r\n`;
  }
}
