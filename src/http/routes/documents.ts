// The OpenAPI document, and the readable reference made from it.

import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { renderReference } from "../docs/page.ts";
import { describeApi, type OpenApiDocument, type Operation } from "../openapi.ts";
import type { HttpServices } from "../services.ts";

/** Nothing from other hosts, nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Options = Pick<HttpServices, "publicUrl" | "stagingUrl"> & { operations: Operation[] };

export const documentRoutes: FastifyPluginAsync<Options> = async (
  app,
  { operations, publicUrl, stagingUrl },
) => {
  const asset = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
  const style = asset("reference.css");
  const script = asset("reference.js");
  const documentOf = once(() => describeApi(operations, { publicUrl: publicUrl(), stagingUrl }));
  const yamlOf = once(async () => {
    // Loaded when somebody asks for it, which is seldom.
    const { stringify } = await import("yaml");
    return stringify(documentOf(), { aliasDuplicateObjects: false });
  });
  const pageOf = once(() => renderReference(documentOf()));

  const pagePath = () => `${new URL(publicUrl()).pathname.replace(/\/$/, "")}/docs`;
  app.get("/docs/", async (_request, reply) => reply.redirect(pagePath(), 302));
  app.get("/openapi.json", async () => documentOf());
  app.get("/openapi.yaml", async (_request, reply) =>
    reply.type("application/yaml; charset=utf-8").send(await yamlOf()),
  );
  app.get("/docs", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", POLICY).send(pageOf()),
  );
  app.get("/docs/reference.css", async (_request, reply) =>
    reply.type("text/css; charset=utf-8").send(style),
  );
  app.get("/docs/reference.js", async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(script),
  );
};

/** The first call waits for the address to be known; later ones reuse its result. */
function once<T extends string | OpenApiDocument | Promise<string>>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
