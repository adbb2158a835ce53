// People: listPeople, updatePerson, endPerson.

import { describePerson } from "../../domain/people/person.ts";
import { actorOf } from "../admission/caller.ts";
import { answerPage } from "../pages/pages.ts";
import { ChangedPerson, People, PeopleQuery, PersonPatch, PersonPath } from "../schemas/people.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listPeople: Route<"people" | "publicUrl"> = (app, services) =>
  app.get("/people", {
    schema: {
      operationId: "listPeople",
      summary: "List people",
      description:
        "One page of the people who have accepted an invitation, in ascending order of id, including those whose access has ended.",
      querystring: PeopleQuery,
      answer: "A page of people.",
      response: { 200: People },
    },
    config: { access: "admin" },
    handler: async ({ query }, reply) => {
      const people = await answerPage(reply, query, {
        path: "people",
        base: apiUrl(services),
        read: services.people.list,
      });
      return people.map(describePerson);
    },
  });

export const updatePerson: Route<"people"> = (app, { people }) =>
  app.patch("/people/:personId", {
    schema: {
      operationId: "updatePerson",
      summary: "Change a person",
      description: "Takes effect with the next request of each of their devices.",
      params: PersonPath,
      body: PersonPatch,
      answer: "The changed person.",
      response: { 200: ChangedPerson },
    },
    config: { access: "admin" },
    handler: async (request) =>
      describePerson(await people.update(request.params.personId, request.body, actorOf(request))),
  });

export const endPerson: Route<"people"> = (app, { people }) =>
  app.delete("/people/:personId", {
    schema: {
      operationId: "endPerson",
      summary: "End the access of a person",
      description:
        "Permanent; takes effect with the next request. Revokes the keys of all their devices, their links and their open invitations. The person remains in the list as ended.",
      params: PersonPath,
      answer: "The access has ended.",
    },
    config: { access: "admin" },
    handler: async (request, reply) => {
      await people.end(request.params.personId, actorOf(request));
      return reply.code(204).send();
    },
  });

export const peopleRoutes = routePlugin("People", listPeople, updatePerson, endPerson);
