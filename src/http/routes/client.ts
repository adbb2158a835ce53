// The npm package of the typed client at /client.tgz.

import type { FastifyPluginAsync } from "fastify";
import { VERSION } from "../../tools/program.ts";
import type { HttpServices } from "../services.ts";
import { createClientPackage } from "../static/client-package.ts";
import { sendDocument } from "../static/static-document.ts";

const ROOT = new URL("../../../", import.meta.url);
const DISPOSITION = `attachment; filename="animal-store-client-${VERSION}.tgz"`;

export const clientRoutes: FastifyPluginAsync<Pick<HttpServices, "clock">> = async (app, { clock }) => {
  const clientPackage = createClientPackage({ root: ROOT, clock });
  app.addHook("onClose", async () => clientPackage.close());
  app.get("/client.tgz", { config: { etag: true } }, async (_request, reply) => {
    const document = await clientPackage.get();
    return sendDocument(reply.header("content-disposition", DISPOSITION), document);
  });
};
