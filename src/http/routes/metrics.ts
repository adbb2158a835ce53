// What Prometheus reads: with an admin key, as any operation, or with METRICS_TOKEN, which opens nothing else.

import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, onRequestHookHandler } from "fastify";
import { hashSecret } from "../../domain/keys/key-secret.ts";
import { bearerOf } from "../request/authenticate.ts";
import type { HttpServices } from "../services.ts";

type Services = Pick<HttpServices, "metrics" | "metricsToken"> & { guard: onRequestHookHandler };

export const metricsRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { metrics, metricsToken, guard } = services;
  const expected = metricsToken === undefined ? undefined : hashSecret(metricsToken);
  // Hashes are equally long, as the comparison needs, and tell nothing about how much of a guess is right.
  const isToken = (text: string) => expected !== undefined && timingSafeEqual(hashSecret(text), expected);

  const onRequest: onRequestHookHandler = function (request, reply, done) {
    if (isToken(bearerOf(request))) done();
    else guard.call(this, request, reply, done);
  };

  app.get("/metrics", { onRequest, config: { access: "admin" } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
};
