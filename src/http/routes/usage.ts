// What is left to the key that asks: getUsage.

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
        summary: "Show what is left",
        description: "Not counted against any limit, and answered during a ban too.",
        answer: { description: "Both windows, and the ban if any." },
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
