// The console at /, as console/build.ts has made it.

import { readFileSync } from "node:fs";
import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { escapeHtml } from "../docs/html.ts";
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
  const findPage = findOnce("page.html");
  // Below a path of PUBLIC_URL the page may be asked for without the slash that relative addresses need.
  const complete = (page: string) => {
    const path = new URL(publicUrl()).pathname;
    return page.replaceAll("{base}", () => (path === "/" ? "" : `${escapeHtml(path)}/`));
  };
  app.get("/", { config: { etag: true } }, async (_request, reply) => {
    const page = findPage();
    if (page === undefined) reply.code(503);
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", POLICY)
      .send(complete(page ?? NOT_BUILT));
  });

  for (const [name, type] of Object.entries(ASSETS)) {
    const find = findOnce(name);
    app.get(`/console/${name}`, { config: { etag: true } }, async (_request, reply) => {
      const text = find();
      if (text === undefined) throw new ServiceError("route_not_found");
      return reply.type(type).send(text);
    });
  }
};

/** Looks again until it is there: the console may be built while the service runs. */
function findOnce(name: string): () => string | undefined {
  let found: string | undefined;
  return () => {
    try {
      found ??= readFileSync(new URL(name, DIST), "utf8");
    } catch {
      // Not built yet.
    }
    return found;
  };
}
