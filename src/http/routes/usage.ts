// Remaining requests of the caller's key: getUsage.

import type { ApiKey } from "../../domain/keys/api-key.ts";
import { type Admission, describeUsage } from "../../domain/keys/limits.ts";
import { Usage } from "../schemas/keys.ts";
import { type Route, routePlugin } from "./route.ts";

export const getUsage: Route<object> = (app) =>
  app.get(
    "/usage",
    {
      schema: {
        operationId: "getUsage",
        tag: "Keys",
        summary: "Show the remaining requests",
        description: "Not counted against any limit. Works during a ban too.",
        answer: { description: "Both rate limit windows, and the ban if there is one." },
        response: { 200: Usage },
      },
      config: { access: "browse", charged: false },
    },
    async ({ apiKey, admission }) => {
      const { plan, access } = apiKey as ApiKey;
      return { plan, access, ...describeUsage(admission as Admission) };
    },
  );

export const usageRoutes = routePlugin(getUsage);
