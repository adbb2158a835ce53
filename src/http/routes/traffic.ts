// Response counts of the last hour, for callers with access `admin`: getTraffic.

import { TRAFFIC_MINUTES, type Traffic } from "../observe/traffic.ts";
import { TrafficReport } from "../schemas/traffic.ts";
import { type Route, routePlugin } from "./route.ts";

export const getTraffic: Route<{ traffic: Traffic }> = (app, { traffic }) =>
  app.get(
    "/traffic",
    {
      schema: {
        operationId: "getTraffic",
        summary: "Count the responses of the last hour",
        description: `The number of responses by status in each of the last ${TRAFFIC_MINUTES} minutes, for operations and for unknown paths. Counted by the node that answers, since its start; use \`/metrics\` of every node for sums over nodes and for longer times.`,
        answer: `${TRAFFIC_MINUTES} minutes, oldest first.`,
        response: { 200: TrafficReport },
      },
      config: { access: "admin" },
    },
    async () => traffic.read(),
  );

export const trafficRoutes = routePlugin("Keys", getTraffic);
