// The console at /, and the files of the console and the reference, built by console/build.ts.

import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { escapeHtml } from "../../tools/html.ts";
import { createDocument, type Document, sendDocument } from "../response/static-document.ts";
import type { HttpServices } from "../services.ts";

const DIST = new URL("../../../console/dist/", import.meta.url);

/** Allows no other hosts, no inline code, no frames and no form targets. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Animal Store</title>
<link rel="icon" href="data:,">
<h1>The console is not built</h1>
<p>The service runs. To build the console, run <code>npm start</code> or <code>npm run build:console</code> after <code>npm ci</code>.</p>
<p>The <a href="{base}docs">reference of the API</a> is available.</p>
</html>
`;

const ASSETS = {
  "console.js": "text/javascript; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "reference.js": "text/javascript; charset=utf-8",
  "reference-early.js": "text/javascript; charset=utf-8",
  "reference-style.css": "text/css; charset=utf-8",
} as const;

export const consoleRoutes: FastifyPluginAsync<HttpServices> = async (app, { publicUrl }) => {
  const HTML = "text/html; charset=utf-8";
  // If PUBLIC_URL has a path, the page may be requested without the trailing slash that relative addresses need.
  const complete = (page: string) => {
    const path = new URL(publicUrl()).pathname;
    return page.replaceAll("{base}", () => (path === "/" ? "" : `${escapeHtml(path)}/`));
  };
  const findPage = findOnce("page.html", (text) => createDocument(HTML, complete(text)));
  app.get("/", { config: { etag: true } }, async (_request, reply) => {
    const page = findPage();
    if (page === undefined) reply.code(503);
    reply.header("content-security-policy", POLICY);
    return sendDocument(reply, page ?? createDocument(HTML, complete(NOT_BUILT)));
  });

  for (const [name, type] of Object.entries(ASSETS)) {
    const find = findOnce(name, (text) => createDocument(type, text));
    app.get(`/console/${name}`, { config: { etag: true } }, async (_request, reply) => {
      const asset = find();
      if (asset === undefined) throw new ServiceError("route_not_found");
      return sendDocument(reply, asset);
    });
  }
};

/** Tries again until the file exists: the console may be built while the service runs. */
function findOnce(name: string, make: (text: string) => Document): () => Document | undefined {
  let found: Document | undefined;
  return () => {
    if (found !== undefined) return found;
    let text: string;
    try {
      text = readFileSync(new URL(name, DIST), "utf8");
    } catch {
      // Not built yet.
      return undefined;
    }
    found = make(text);
    return found;
  };
}
