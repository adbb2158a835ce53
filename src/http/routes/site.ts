// The settings of the public site: getSite, updateSite.

import { auditOriginOf } from "../admission/caller.ts";
import { Site, SitePatch } from "../schemas/site.ts";
import { type Route, routePlugin } from "./route.ts";

export const getSite: Route<"site"> = (app, { site }) =>
  app.get("/site", {
    schema: {
      operationId: "getSite",
      summary: "Get the settings of the public site",
      description: "Whether people without a key see the animals at `/animals`, and how the pages look.",
      answer: "The settings of the site.",
      response: { 200: Site },
    },
    config: { access: "browse", publishable: true, etag: true },
    handler: async () => (await site.readState()).site,
  });

export const updateSite: Route<"site" | "clock"> = (app, services) =>
  app.patch("/site", {
    schema: {
      operationId: "updateSite",
      summary: "Open, close or change the public site",
      description:
        "Changes the given members and keeps the others; `null` removes `title`, `introduction` or `accent`. Takes effect on every node within a second.",
      body: SitePatch,
      answer: "The changed settings of the site.",
      response: { 200: Site },
    },
    config: { access: "admin" },
    handler: (request) => services.site.update(request.body, auditOriginOf(request, services)),
  });

export const siteRoutes = routePlugin("Site", getSite, updateSite);
