// The files of images at /photos: without a key, and cached forever, because a name has one content.

import type { FastifyPluginAsync } from "fastify";
import { parseImageFileName } from "../../domain/animals/photo.ts";
import { PHOTO_READS_PER_MINUTE } from "../../domain/animals/photo-limits.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { chargeAddress } from "../admission/admission.ts";
import type { HttpServices } from "../services.ts";
import { FOREVER } from "../static/static-document.ts";

/** The image is only to be shown: a browser that opens it as a page runs and loads nothing. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

type Services = Pick<HttpServices, "photos" | "clock" | "metrics">;

export const imageFileRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  app.addHook("onRequest", chargeAddress(PHOTO_READS_PER_MINUTE, services));

  app.get<{ Params: { name: string } }>(
    "/photos/:name",
    { config: { etag: true } },
    async ({ params: { name } }, reply) => {
      const file = parseImageFileName(name);
      const bytes = file && (await services.photos.findFile(file));
      if (bytes === undefined) throw new ServiceError("photo_not_found");
      // The name stands for the content.
      reply.headers({ etag: `"${name}"`, "cache-control": FOREVER, "content-security-policy": POLICY });
      return reply.type("image/webp").send(bytes);
    },
  );
};
