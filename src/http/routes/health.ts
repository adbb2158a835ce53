// Liveness and readiness, for supervisors and load balancers; no key needed.

import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { shareReadiness } from "../observe/readiness.ts";
import type { HttpServices } from "../services.ts";

export const healthRoutes: FastifyPluginAsync<Pick<HttpServices, "readiness" | "isStopping">> = async (
  app,
  { readiness, isStopping },
) => {
  const findState = shareReadiness({ check: readiness, isStopping });

  app.get("/healthz", async () => ({ status: "alive" }));

  app.get("/readyz", async (_request, reply) => {
    const state = await findState();
    if (state.status === "unavailable" || state.status === "stopping") {
      const why = state.reasons.join("; ") || "stopping";
      throw new ServiceError("unavailable", { message: `Not ready: ${why}.`, retryAfterSeconds: 1 });
    }
    return reply.send(state);
  });
};
