// The session of a person's device: createDeviceLink, endSession.

import { joinUrl } from "../../domain/people/invitation.ts";
import { actorOf, callerOf } from "../admission/caller.ts";
import { DeviceLink } from "../schemas/people.ts";
import { type Route, routePlugin } from "./route.ts";

export const createDeviceLink: Route<"answerPost" | "publicUrl"> = (app, services) =>
  app.post("/session/link", {
    schema: {
      operationId: "createDeviceLink",
      summary: "Sign in on another device",
      description:
        "A link that signs another device in as the same person, once. Only for keys of people. Revoking the key, or ending the person, closes it.",
      answer: "The link.",
      response: { 201: DeviceLink },
    },
    config: { access: "browse", person: true, hasSecret: true },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const { code, expiresAtMs } = await stores.people.link(callerOf(request).id, actorOf(request));
        const url = joinUrl(services.publicUrl(), code);
        return { status: 201, body: { url, expiresAt: new Date(expiresAtMs) } };
      }),
  });

export const endSession: Route<"keyRing"> = (app, { keyRing }) =>
  app.delete("/session", {
    schema: {
      operationId: "endSession",
      summary: "Sign out",
      description: "Revokes the key of the request. Only for keys of people.",
      answer: "The key is revoked.",
    },
    config: { access: "browse", person: true },
    handler: async (request, reply) => {
      await keyRing.endSession(callerOf(request).id);
      return reply.code(204).send();
    },
  });

export const sessionRoutes = routePlugin("People", createDeviceLink, endSession);
