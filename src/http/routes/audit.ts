// The audit log, for callers with access `admin`: listAudit.

import { describeAuditRecord } from "../../domain/keys/audit.ts";
import { exactJson } from "../../tools/exact-json.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { answerPage } from "../pages/pages.ts";
import { AuditRecords } from "../schemas/audit.ts";
import { PageQuery } from "../schemas/members.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listAudit: Route<"audit" | "publicUrl"> = (app, services) =>
  app.get("/audit", {
    schema: {
      operationId: "listAudit",
      summary: "List the changes of the service itself",
      description:
        "One page of the audit log, newest first: changes of keys, webhooks, shelters and the public site, bans, imports, and the restoring or copying of the store, by API calls and by operator commands.",
      querystring: PageQuery,
      answer: "A page of audit records.",
      response: { 200: AuditRecords },
    },
    config: { access: "admin", etag: true, newestFirst: true },
    handler: async ({ query }, reply) => {
      const records = await answerPage(reply, query, {
        path: "audit",
        base: apiUrl(services),
        read: services.audit.list,
      });
      // The compiled serializer accepts no bigint where a schema also allows null.
      reply.type(JSON_TYPE).serializer(exactJson);
      return records.map(describeAuditRecord);
    },
  });

export const auditRoutes = routePlugin("Audit", listAudit);
