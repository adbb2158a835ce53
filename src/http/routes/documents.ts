// The OpenAPI document as JSON and YAML, and the reference as a page at /docs and as Markdown at /docs.md.

import type { FastifyPluginAsync } from "fastify";
import { loadPackage } from "../../tools/load-package.ts";
import { once } from "../../tools/once.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { CONTENT_SECURITY_POLICIES } from "../headers/content-security-policies.ts";
import { describeApi } from "../openapi/document.ts";
import type { Operation } from "../openapi/operations.ts";
import type { HttpServices } from "../services.ts";
import { BARE_HEAD, completeBase, type FindConsoleBuild } from "../static/console-build.ts";
import {
  createCompressedDocument,
  type Document,
  sendDocument,
  TEXT_TYPES,
} from "../static/static-document.ts";

const CONDITIONAL = { config: { etag: true } };

type Services = Pick<HttpServices, "publicUrl" | "stagingUrl" | "contactUrl" | "reference"> & {
  operations: Operation[];
  findBuild: FindConsoleBuild;
};

export const documentRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { operations, publicUrl, stagingUrl, contactUrl, reference, findBuild } = services;
  // On the first request, when the address is known.
  const describe = once(() => describeApi(operations, { publicUrl: publicUrl(), stagingUrl, contactUrl }));
  const jsonOf = once(() => createCompressedDocument(JSON_TYPE, JSON.stringify(describe())));
  const yamlOf = once(async () => {
    // Loaded on the first request, which most services never get.
    const { stringify }: typeof import("yaml") = loadPackage("yaml");
    const text = stringify(describe(), { aliasDuplicateObjects: false });
    return createCompressedDocument("application/yaml; charset=utf-8", text);
  });
  let page: { head: string; document: Promise<Document> } | undefined;
  async function pageOf(): Promise<Document> {
    const { referenceHead = BARE_HEAD } = (await findBuild()) ?? {};
    // Rendered again when its files were built since.
    if (page?.head !== referenceHead) {
      const html = reference.renderPage(describe(), completeBase(referenceHead, publicUrl()));
      page = { head: referenceHead, document: createCompressedDocument(TEXT_TYPES.html, html) };
    }
    return page.document;
  }

  const markdownOf = once(() =>
    createCompressedDocument("text/markdown; charset=utf-8", reference.renderMarkdown(describe())),
  );

  const pagePath = () => `${new URL(publicUrl()).pathname.replace(/\/$/, "")}/docs`;
  app.get("/docs/", async (_request, reply) => reply.redirect(pagePath(), 302));
  app.get("/openapi.json", CONDITIONAL, async (_request, reply) => sendDocument(reply, await jsonOf()));
  app.get("/openapi.yaml", CONDITIONAL, async (_request, reply) => sendDocument(reply, await yamlOf()));
  app.get("/docs", CONDITIONAL, async (_request, reply) =>
    sendDocument(
      reply.header("content-security-policy", CONTENT_SECURITY_POLICIES.reference),
      await pageOf(),
    ),
  );
  app.get("/docs.md", CONDITIONAL, async (_request, reply) => sendDocument(reply, await markdownOf()));
};
