// The sample animals and their drawings, which the console adds to an empty store.

import { readFile } from "node:fs/promises";
import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import {
  createCompressedDocument,
  createDocument,
  type Document,
  sendDocument,
} from "../static/static-document.ts";

const FOLDER = new URL("../../../sample/", import.meta.url);
/** Linear. Without dots and slashes in the name, no other folder can be reached. */
const FILE = /^[a-z-]{1,40}\.(json|webp)$/;

export const sampleFileRoutes: FastifyPluginAsync = async (app) => {
  const found = new Map<string, Promise<Document>>();
  app.get<{ Params: { file: string } }>(
    "/console/sample/:file",
    { config: { etag: true } },
    async ({ params: { file } }, reply) => {
      const [, ending] = FILE.exec(file) ?? [];
      if (ending === undefined) throw new ServiceError("route_not_found");
      const document = found.get(file) ?? readDocument(file, ending);
      found.set(file, document);
      try {
        return sendDocument(reply, await document);
      } catch (cause) {
        found.delete(file);
        throw new ServiceError("route_not_found", { cause });
      }
    },
  );
};

async function readDocument(file: string, ending: string): Promise<Document> {
  if (ending === "webp")
    return createDocument("image/webp", await readFile(new URL(`drawings/${file}`, FOLDER)));
  return createCompressedDocument(JSON_TYPE, await readFile(new URL(file, FOLDER)));
}
