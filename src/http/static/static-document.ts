// Documents that are the same for every caller, kept as bytes that all responses share.

import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { FIXED_HEADERS, type Headers } from "../headers/common-headers.ts";
import { type Compressed, chooseCoding, compress } from "./content-coding.ts";

export interface Document {
  type: string;
  bytes: Buffer;
  /** Identifies the uncompressed form. */
  etag: string;
  compressed?: Compressed | undefined;
}

/** Cache-Control of content whose address changes with it. */
export const FOREVER = "public, max-age=31536000, immutable";

export const TEXT_TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/** Other sites get neither the address of our page nor a reference to its window. */
const PAGE_HEADERS: Headers = {
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};
/** Sent with content that has compressed forms. */
export const VARY_CODING = `${FIXED_HEADERS.vary}, Accept-Encoding`;

/** Without `compressed`, for content that is already compressed, such as an image. */
export function createDocument(type: string, content: string | Buffer, compressed?: Compressed): Document {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: `"${hash("sha1", bytes, "base64url")}"`, compressed };
}

export async function createCompressedDocument(type: string, content: string | Buffer): Promise<Document> {
  const bytes = Buffer.from(content);
  return createDocument(type, bytes, await compress(bytes));
}

/** The form that the client prefers, with its ETag. `coding` is undefined for the uncompressed form. */
export function chooseForm({ bytes, etag, compressed }: Document, acceptEncoding: string | undefined) {
  const coding = compressed && chooseCoding(acceptEncoding);
  if (compressed === undefined || coding === undefined) return { bytes, etag, coding: undefined };
  return { bytes: compressed[coding], etag: `${etag.slice(0, -1)}-${coding}"`, coding };
}

/** In the form that the client prefers. Sends the ETag of that form too where the route has `config.etag`. */
export function sendDocument(reply: FastifyReply, document: Document, headers = PAGE_HEADERS): FastifyReply {
  const { bytes, etag, coding } = chooseForm(document, reply.request.headers["accept-encoding"]);
  reply.headers(headers);
  if (document.compressed !== undefined) reply.header("vary", VARY_CODING);
  if (coding !== undefined) reply.header("content-encoding", coding);
  if (reply.request.route.config.etag === true && reply.statusCode === 200) reply.header("etag", etag);
  return reply.type(document.type).send(bytes);
}
