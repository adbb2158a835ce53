// What Prometheus reads, with an admin key.

import type { FastifyPluginAsync } from "fastify";
import { requireAccess, verifyCaller } from "../authenticate.ts";
import { addressOf } from "../client-address.ts";
import type { HttpServices } from "../services.ts";

export const metricsRoutes: FastifyPluginAsync<Pick<HttpServices, "metrics" | "keyRing" | "gate">> = async (
  app,
  { metrics, keyRing, gate },
) => {
  app.get("/metrics", async (request, reply) => {
    const key = await verifyCaller({ keyRing }, request, reply, () => gate.admitStranger(addressOf(request)));
    requireAccess(key, "admin", reply);
    return reply.type(metrics.contentType).send(await metrics.render());
  });
};
