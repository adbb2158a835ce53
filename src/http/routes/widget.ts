// The widget at /widget.js, and at an address that changes with its content: an ES module for pages of any origin.

import type { FastifyPluginAsync, FastifyReply, onRequestHookHandler } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { FindConsoleBuild } from "../static/console-build.ts";
import { FOREVER, sendDocument } from "../static/static-document.ts";

const ONE_HOUR = "public, max-age=3600";
const NOT_BUILT = `The widget is not built. In the folder of the service, run "npm ci && npm run build:console".`;

/** `chargeFile` charges the address of the client. */
interface Services {
  findBuild: FindConsoleBuild;
  chargeFile: onRequestHookHandler;
}

export const widgetRoutes: FastifyPluginAsync<Services> = async (app, { findBuild, chargeFile }) => {
  app.addHook("onRequest", chargeFile);

  async function send(reply: FastifyReply, cacheControl: string, file?: string): Promise<FastifyReply> {
    const { assets, widget } = (await findBuild()) ?? {};
    const document = widget && assets?.get(widget);
    if (!document) throw new ServiceError("unavailable", { message: NOT_BUILT });
    if (file !== undefined && file !== widget) throw new ServiceError("route_not_found");
    // Whatever CORS_ORIGINS says: publishable keys have their own list of origins.
    reply.headers({ "access-control-allow-origin": "*", "cache-control": cacheControl });
    // The address of these bytes, relative to both addresses.
    return sendDocument(reply.header("content-location", file ?? `widget/${widget}`), document);
  }

  const options = { config: { etag: true } };
  app.get("/widget.js", options, async (_request, reply) => send(reply, ONE_HOUR));
  app.get<{ Params: { file: string } }>("/widget/:file", options, async ({ params: { file } }, reply) =>
    send(reply, FOREVER, file),
  );
};
