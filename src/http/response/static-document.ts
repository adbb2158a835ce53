// Documents that are the same for every caller, kept as bytes that all responses share.

import type { FastifyReply } from "fastify";
import { etagOf } from "./etag.ts";

export interface Document {
  type: string;
  bytes: Buffer;
  etag: string;
}

export function createDocument(type: string, content: string | Buffer): Document {
  return { type, bytes: Buffer.from(content), etag: etagOf(undefined, content) };
}

/** Sends the ETag too where the route has `config.etag`. */
export function sendDocument(reply: FastifyReply, { type, bytes, etag }: Document): FastifyReply {
  if (reply.request.route.config.etag === true && reply.statusCode === 200) reply.header("etag", etag);
  return reply.type(type).send(bytes);
}
