// What the node has answered in the last hour, for admin keys: getTraffic.

import type { Traffic } from "../observe/traffic.ts";
import { TrafficReport } from "../schemas/traffic.ts";
import { type Route, routePlugin } from "./route.ts";

export const getTraffic: Route<{ traffic: Traffic }> = (app, { traffic }) =>
  app.get(
    "/traffic",
    {
      schema: {
        operationId: "getTraffic",
        tag: "Keys",
        summary: "Show the answers of the last hour",
        description:
          "How many requests for operations, and for paths that do not exist, were answered with which status in each of the last 60 minutes. Of the node that answers, since its start; `/metrics` of every node is for sums over nodes and longer times.",
        answer: { description: "60 minutes, the oldest first." },
        response: { 200: TrafficReport },
      },
      config: { access: "admin" },
    },
    async () => traffic.read(),
  );

export const trafficRoutes = routePlugin(getTraffic);
