// The OpenAPI document, and the readable reference made from it.

import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { JSON_TYPE } from "../common-headers.ts";
import { renderReference } from "../docs/page.ts";
import { createDocument, type Document, sendDocument } from "../document.ts";
import { describeApi, type Operation } from "../openapi.ts";
import type { HttpServices } from "../services.ts";

/** Nothing from other hosts, nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Options = Pick<HttpServices, "publicUrl" | "stagingUrl"> & { operations: Operation[] };

export const documentRoutes: FastifyPluginAsync<Options> = async (
  app,
  { operations, publicUrl, stagingUrl },
) => {
  const asset = (type: string, name: string) =>
    createDocument(type, readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8"));
  const style = asset("text/css; charset=utf-8", "reference.css");
  const script = asset("text/javascript; charset=utf-8", "reference.js");
  const describe = once(() => describeApi(operations, { publicUrl: publicUrl(), stagingUrl }));
  const jsonOf = once(() => createDocument(JSON_TYPE, JSON.stringify(describe())));
  let yaml: Document | undefined;
  const yamlOf = async () => {
    if (yaml !== undefined) return yaml;
    // Loaded when somebody asks for it, which is seldom.
    const { stringify } = await import("yaml");
    const text = stringify(describe(), { aliasDuplicateObjects: false });
    yaml = createDocument("application/yaml; charset=utf-8", text);
    return yaml;
  };
  const pageOf = once(() => createDocument("text/html; charset=utf-8", renderReference(describe())));

  const pagePath = () => `${new URL(publicUrl()).pathname.replace(/\/$/, "")}/docs`;
  app.get("/docs/", async (_request, reply) => reply.redirect(pagePath(), 302));
  app.get("/openapi.json", async (_request, reply) => sendDocument(reply, jsonOf()));
  app.get("/openapi.yaml", async (_request, reply) => sendDocument(reply, await yamlOf()));
  app.get("/docs", async (_request, reply) =>
    sendDocument(reply.header("content-security-policy", POLICY), pageOf()),
  );
  app.get("/docs/reference.css", async (_request, reply) => sendDocument(reply, style));
  app.get("/docs/reference.js", async (_request, reply) => sendDocument(reply, script));
};

/** The first call waits for the address to be known; later ones reuse its result. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
