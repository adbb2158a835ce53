// Liveness and readiness, for supervisors and load balancers; no key needed.

import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { VERSION } from "../../tools/program.ts";
import type { HttpServices, Readiness } from "../services.ts";

const KEPT_MS = 250;

type Services = Pick<HttpServices, "readiness" | "isStopping">;

export const healthRoutes: FastifyPluginAsync<Services> = async (app, { readiness, isStopping }) => {
  const findState = shareReadiness({ check: readiness, isStopping });

  app.get("/healthz", async () => ({ status: "ok", version: VERSION }));

  app.get("/readyz", async (_request, reply) => {
    const state = await findState();
    if (state.status === "unavailable" || state.status === "stopping") {
      const why = state.reasons.join("; ") || "stopping";
      throw new ServiceError("unavailable", { message: `Not ready: ${why}.`, retryAfterSeconds: 1 });
    }
    return reply.send(state);
  });
};

interface Options {
  /** Returns "stopping" without asking the engines. */
  check: () => Promise<Readiness>;
  isStopping: () => boolean;
  /** Monotonic; for tests. */
  nowMs?: () => number;
}

/** Concurrent callers share one check of the engines, and a result is reused for 250 ms. */
export function shareReadiness({ check, isStopping, nowMs = () => performance.now() }: Options) {
  let kept: { state: Readiness; endMs: number } | undefined;
  let running: Promise<Readiness> | undefined;

  async function run(): Promise<Readiness> {
    try {
      const state = await check();
      kept = { state, endMs: nowMs() + KEPT_MS };
      return state;
    } finally {
      running = undefined;
    }
  }

  return async (): Promise<Readiness> => {
    if (isStopping()) return check();
    if (kept !== undefined && nowMs() < kept.endMs) return kept.state;
    running ??= run();
    const state = await running;
    return isStopping() ? check() : state;
  };
}
