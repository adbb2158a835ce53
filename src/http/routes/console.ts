// The console at /, as console/build.ts has made it.

import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { escapeHtml } from "../../tools/html.ts";
import { createDocument, type Document, sendDocument } from "../response/document.ts";
import type { HttpServices } from "../services.ts";

const DIST = new URL("../../../console/dist/", import.meta.url);

/** Nothing from other hosts, nothing inline, no frames, no forms that leave the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Animal Store</title>
<link rel="icon" href="data:,">
<h1>The console is not built</h1>
<p>The service runs. Its console is built by <code>npm start</code>, or by <code>npm run build:console</code>; both need all of <code>npm ci</code>.</p>
<p>Meanwhile there is the <a href="{base}docs">reference of the API</a>.</p>
</html>
`;

const ASSETS = {
  "console.js": "text/javascript; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
} as const;

export const consoleRoutes: FastifyPluginAsync<Pick<HttpServices, "publicUrl">> = async (
  app,
  { publicUrl },
) => {
  const HTML = "text/html; charset=utf-8";
  // Below a path of PUBLIC_URL the page may be asked for without the slash that relative addresses need.
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

/** Looks again until it is there: the console may be built while the service runs. */
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
