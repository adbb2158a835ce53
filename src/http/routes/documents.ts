// The OpenAPI document as JSON and YAML, and the reference as a page at /docs and as Markdown at /docs.md.

import type { FastifyPluginAsync } from "fastify";
import { describeApi } from "../openapi/document.ts";
import type { Operation } from "../openapi/operations.ts";
import { JSON_TYPE } from "../response/common-headers.ts";
import { createDocument, sendDocument } from "../response/static-document.ts";
import type { HttpServices } from "../services.ts";

/** Allows no other hosts and no inline code. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Services = HttpServices & { operations: Operation[] };

export const documentRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { operations, publicUrl, stagingUrl, contactUrl, reference } = services;
  const describe = once(() => describeApi(operations, { publicUrl: publicUrl(), stagingUrl, contactUrl }));
  const jsonOf = once(() => createDocument(JSON_TYPE, JSON.stringify(describe())));
  const yamlOf = once(async () => {
    // Loaded on the first request, which most services never get.
    const { stringify } = await import("yaml");
    const text = stringify(describe(), { aliasDuplicateObjects: false });
    return createDocument("application/yaml; charset=utf-8", text);
  });
  const pageOf = once(() => createDocument("text/html; charset=utf-8", reference.renderPage(describe())));
  const markdownOf = once(() =>
    createDocument("text/markdown; charset=utf-8", reference.renderMarkdown(describe())),
  );

  const pagePath = () => `${new URL(publicUrl()).pathname.replace(/\/$/, "")}/docs`;
  app.get("/docs/", async (_request, reply) => reply.redirect(pagePath(), 302));
  app.get("/openapi.json", async (_request, reply) => sendDocument(reply, jsonOf()));
  app.get("/openapi.yaml", async (_request, reply) => sendDocument(reply, await yamlOf()));
  app.get("/docs", async (_request, reply) =>
    sendDocument(reply.header("content-security-policy", POLICY), pageOf()),
  );
  app.get("/docs.md", { config: { etag: true } }, async (_request, reply) =>
    sendDocument(reply, markdownOf()),
  );
};

/** Runs on the first call, when the address is known; later calls reuse the result. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
