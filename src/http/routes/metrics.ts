// What Prometheus reads, with an admin key.

import type { FastifyPluginAsync } from "fastify";
import { requireAccess, verifyCaller } from "../authenticate.ts";
import { budgetAddress } from "../client-address.ts";
import type { HttpServices } from "../services.ts";

export const metricsRoutes: FastifyPluginAsync<Pick<HttpServices, "metrics" | "keyRing" | "gate">> = async (
  app,
  { metrics, keyRing, gate },
) => {
  app.get("/metrics", async (request, reply) => {
    const address = budgetAddress(request.ip, request.socket.remoteAddress);
    const key = await verifyCaller({ keyRing }, request, reply, () => gate.admitStranger(address));
    requireAccess(key, "admin", reply);
    return reply.type(metrics.contentType).send(await metrics.render());
  });
};
