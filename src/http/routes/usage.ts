// What is left to the key that asks: getUsage.

import type { FastifyPluginAsync } from "fastify";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Admission, WindowName } from "../../domain/limits.ts";
import { unixSeconds } from "../rate-headers.ts";
import { Usage } from "../schemas.ts";

export const usageRoutes: FastifyPluginAsync = async (app) => {
  app.get(
    "/usage",
    {
      schema: {
        operationId: "getUsage",
        tag: "Keys",
        summary: "Show what is left",
        description: "Not counted against any limit, and answered during a ban too.",
        answer: { description: "Both windows, and the ban if any." },
        response: { 200: Usage },
      },
      config: { access: "browse", charged: false },
    },
    async ({ apiKey, admission }) => describeUsage(apiKey as ApiKey, admission as Admission),
  );
};

function describeUsage({ plan, access }: ApiKey, { windows, bannedUntilMs }: Admission) {
  const shown = windows.map(({ name, limit, remaining, resetMs }) => [
    name,
    { limit, remaining, reset: unixSeconds(resetMs) },
  ]);
  const { minute, day } = Object.fromEntries(shown) as Record<WindowName, object>;
  return { plan, access, minute, day, ...(bannedUntilMs && { ban: { reset: unixSeconds(bannedUntilMs) } }) };
}
