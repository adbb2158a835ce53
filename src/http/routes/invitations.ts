// Invitations of people: createInvitation, listInvitations, revokeInvitation, and acceptInvitation, which needs no key.

import { describeInvitation, joinUrl } from "../../domain/people/invitation.ts";
import { describePerson } from "../../domain/people/person.ts";
import { actorOf } from "../admission/caller.ts";
import { answerPage } from "../pages/pages.ts";
import {
  CreatedInvitation,
  InvitationPath,
  Invitations,
  InvitationsQuery,
  NewDevice,
  NewInvitation,
  SignedIn,
} from "../schemas/people.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listInvitations: Route<"people" | "clock" | "publicUrl"> = (app, services) =>
  app.get("/invitations", {
    schema: {
      operationId: "listInvitations",
      summary: "List invitations",
      description: "One page of invitations, in ascending order of id, without their codes.",
      querystring: InvitationsQuery,
      answer: "A page of invitations.",
      response: { 200: Invitations },
    },
    config: { access: "admin" },
    handler: async ({ query }, reply) => {
      const { status } = query;
      const invitations = await answerPage(reply, query, {
        path: "invitations",
        filters: status === undefined ? [] : [`status=${status}`],
        base: apiUrl(services),
        read: (page) => services.people.listInvitations({ status }, page),
      });
      return invitations.map((invitation) => describeInvitation(invitation, services.clock.nowMs()));
    },
  });

export const createInvitation: Route<"answerPost" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/invitations", {
    schema: {
      operationId: "createInvitation",
      summary: "Invite a person",
      description:
        "Only this response contains the link. Whoever opens it first signs in as this person, so send it in a way that only they read.",
      body: NewInvitation,
      answer: "The invitation with its link.",
      response: { 201: CreatedInvitation },
    },
    config: { access: "admin", hasSecret: true, errors: ["person_not_found"] },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const { expiresAt, ...wish } = request.body;
        const expiresAtMs = expiresAt?.getTime();
        const { invitation, code } = await stores.people.invite({ ...wish, expiresAtMs }, actorOf(request));
        const shown = describeInvitation(invitation, services.clock.nowMs());
        const location = apiUrl(services, `/invitations/${invitation.id}`);
        return { status: 201, location, body: { ...shown, url: joinUrl(services.publicUrl(), code) } };
      }),
  });

export const revokeInvitation: Route<"people"> = (app, { people }) =>
  app.delete("/invitations/:invitationId", {
    schema: {
      operationId: "revokeInvitation",
      summary: "Revoke an invitation",
      description:
        "Only an open one: its link no longer works. The invitation remains in the list as revoked.",
      params: InvitationPath,
      answer: "The invitation is revoked.",
    },
    config: { access: "admin" },
    handler: async (request, reply) => {
      await people.revokeInvitation(request.params.invitationId, actorOf(request));
      return reply.code(204).send();
    },
  });

export const acceptInvitation: Route<"people"> = (app, { people }) =>
  app.post("/invitations/accept", {
    schema: {
      operationId: "acceptInvitation",
      summary: "Accept an invitation",
      description:
        "Signs in with the code of an invitation or a link, which works once. `Authorization` and `Idempotency-Key` are ignored.",
      body: NewDevice,
      answer: "The key of this device, and its person.",
      response: { 201: SignedIn },
    },
    config: {
      keyless: true,
      repeatable: true,
      hasSecret: true,
      errors: ["invitation_not_found", "invalid_transition"],
    },
    handler: async ({ body: { code, device } }, reply) => {
      const { person, secret } = await people.accept(code, device);
      reply.code(201);
      return { key: secret, person: describePerson(person) };
    },
  });

export const invitationRoutes = routePlugin(
  "People",
  listInvitations,
  createInvitation,
  revokeInvitation,
  acceptInvitation,
);
