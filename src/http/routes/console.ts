// The console at /, and the files of the console and the reference, built by console/build.ts.

import { setTimeout as pause } from "node:timers/promises";
import type { FastifyPluginAsync } from "fastify";
import { HOUR_MS } from "../../domain/basics/durations.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { escapeHtml } from "../../tools/html.ts";
import { PUBLIC_COMMAND } from "../../tools/program.ts";
import { CONTENT_SECURITY_POLICIES } from "../headers/content-security-policies.ts";
import type { HttpServices } from "../services.ts";
import { BARE_HEAD, completeBase, type FindConsoleBuild } from "../static/console-build.ts";
import {
  createCompressedDocument,
  type Document,
  FOREVER,
  sendDocument,
  TEXT_TYPES,
} from "../static/static-document.ts";

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Animal Store</title>
${BARE_HEAD}
<h1>The console is not built</h1>
<p>The service runs. To build the console, run <code>npm start</code> or <code>npm run build:console</code> after <code>npm ci</code>.</p>
<p>The <a href="{base}docs">reference of the API</a> is available.</p>
</html>
`;

/** The console opens without the store too. */
const STATE_WAIT_MS = 500;

type Services = Pick<HttpServices, "publicUrl" | "orderHoldMs" | "sitePages"> & {
  findBuild: FindConsoleBuild;
};

export const consoleRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { publicUrl, orderHoldMs, sitePages, findBuild } = services;
  const complete = (html: string) =>
    createCompressedDocument(TEXT_TYPES.html, completeBase(html, publicUrl()));
  /** By whether the public pages are open. */
  const pages = new Map<boolean, Promise<Document>>();

  app.get("/", { config: { etag: true } }, async (_request, reply) => {
    reply.header("content-security-policy", CONTENT_SECURITY_POLICIES.console);
    const build = await findBuild();
    if (build === undefined) return sendDocument(reply.code(503), await complete(NOT_BUILT));
    const isPublic = await isSitePublic(sitePages);
    const page = pages.get(isPublic) ?? complete(fillIn(build.console, isPublic));
    pages.set(isPublic, page);
    return sendDocument(reply, await page);
  });

  function fillIn(html: string, isPublic: boolean): string {
    return html
      .replace("{orderHoldHours}", String(orderHoldMs / HOUR_MS))
      .replace("{command}", PUBLIC_COMMAND)
      .replace("{publicPages}", isPublic ? "open" : "closed")
      .replace("{publicUrl}", () => escapeHtml(publicUrl()));
  }

  app.get<{ Params: { file: string } }>(
    "/console/:file",
    { config: { etag: true } },
    async ({ params: { file } }, reply) => {
      const asset = (await findBuild())?.assets.get(file);
      if (asset === undefined) throw new ServiceError("route_not_found");
      return sendDocument(reply.header("cache-control", FOREVER), asset);
    },
  );
};

/** False if the store does not say so in time. */
async function isSitePublic(sitePages: HttpServices["sitePages"]): Promise<boolean> {
  const read = async () => (await sitePages.state()).site.isPublic;
  return Promise.race([read().catch(() => false), pause(STATE_WAIT_MS, false, { ref: false })]);
}
