// The files of images at /photos: without a key, and cached forever, because a name has one content.

import type { FastifyPluginAsync, onRequestHookHandler } from "fastify";
import { parseImageFileName } from "../../domain/animals/photo.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { CONTENT_SECURITY_POLICIES } from "../headers/content-security-policies.ts";
import type { HttpServices } from "../services.ts";
import { FOREVER } from "../static/static-document.ts";

/** `chargeFile` charges the address of the client. */
type Services = Pick<HttpServices, "photos"> & { chargeFile: onRequestHookHandler };

export const imageFileRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  app.addHook("onRequest", services.chargeFile);

  app.get<{ Params: { name: string } }>(
    "/photos/:name",
    { config: { etag: true } },
    async ({ params: { name } }, reply) => {
      const file = parseImageFileName(name);
      const bytes = file && (await services.photos.findFile(file));
      if (bytes === undefined) throw new ServiceError("photo_not_found");
      // The name stands for the content.
      reply.headers({
        etag: `"${name}"`,
        "cache-control": FOREVER,
        "content-security-policy": CONTENT_SECURITY_POLICIES.image,
      });
      return reply.type("image/webp").send(bytes);
    },
  );
};
