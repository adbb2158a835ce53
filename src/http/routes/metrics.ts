// Prometheus metrics, for an admin key or for METRICS_TOKEN, which gives access to nothing else.

import { timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, onRequestHookHandler } from "fastify";
import { hashSecret } from "../../domain/keys/key-secret.ts";
import { bearerOf } from "../admission/caller.ts";
import { renderHealth } from "../observe/health-metrics.ts";
import type { HttpServices } from "../services.ts";

type Services = Pick<HttpServices, "metrics" | "metricsToken" | "health"> & { admit: onRequestHookHandler };

export const metricsRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { metrics, metricsToken, health, admit } = services;
  const expected = metricsToken === undefined ? undefined : hashSecret(metricsToken);
  // timingSafeEqual needs equal lengths, and comparing hashes reveals nothing about a partly correct guess.
  const isToken = (text: string) => expected !== undefined && timingSafeEqual(hashSecret(text), expected);

  const onRequest: onRequestHookHandler = function (request, reply, done) {
    if (isToken(bearerOf(request))) done();
    else admit.call(this, request, reply, done);
  };

  app.get("/metrics", { onRequest, config: { access: "admin" } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(`${await metrics.render()}\n${renderHealth(await health())}`),
  );
};
