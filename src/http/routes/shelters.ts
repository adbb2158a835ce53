// Shelters: listShelters, createShelter, getShelter, updateShelter, deleteShelter.

import { ServiceError } from "../../domain/basics/errors.ts";
import { type Shelter as DomainShelter, describeShelter } from "../../domain/shelters/shelter.ts";
import { auditOriginOf, callerOf, requireAccess } from "../admission/caller.ts";
import { preconditionOf } from "../pages/etag.ts";
import { readNear, showNear } from "../pages/near.ts";
import { answerPage } from "../pages/pages.ts";
import { compileSerializer } from "../replies/serializer.ts";
import {
  ChangedShelter,
  NewShelter,
  Shelter,
  ShelterPatch,
  ShelterPath,
  Shelters,
  SheltersQuery,
} from "../schemas/shelters.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listShelters: Route<"shelters" | "publicUrl"> = (app, services) =>
  app.get("/shelters", {
    schema: {
      operationId: "listShelters",
      summary: "List shelters",
      description: "One page of shelters, in ascending order of id. Every store has at least one.",
      querystring: SheltersQuery,
      answer: "A page of shelters.",
      response: { 200: Shelters },
    },
    config: { access: "browse", publishable: true, etag: true },
    handler: async ({ query }, reply) => {
      const near = readNear(query);
      const shelters = await answerPage(reply, query, {
        path: "shelters",
        filters: Object.entries(showNear(near)).map(([name, value]) => `${name}=${value}`),
        base: apiUrl(services),
        read: (page) => services.shelters.list({ near }, page),
      });
      return shelters.map(describeShelter);
    },
  });

export const createShelter: Route<"answerPost" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/shelters", {
    schema: {
      operationId: "createShelter",
      summary: "Add a shelter",
      description:
        "The animals of a new shelter are those that its keys create, and those that are moved to it with `updateProfile`.",
      body: NewShelter,
      answer: "The created shelter.",
      response: { 201: Shelter },
    },
    config: { access: "admin" },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const shelter = await stores.shelters.create(request.body, auditOriginOf(request, services));
        const location = apiUrl(services, `/shelters/${shelter.id}`);
        return { status: 201, location, body: describeShelter(shelter) };
      }),
  });

export const getShelter: Route<"shelters"> = (app, { shelters }) =>
  app.get("/shelters/:shelterId", {
    schema: {
      operationId: "getShelter",
      summary: "Get a shelter",
      description: "The shelter with its contact, address and place.",
      params: ShelterPath,
      answer: "The shelter.",
      response: { 200: Shelter },
    },
    config: { access: "browse", publishable: true, etag: true },
    handler: async ({ params }) => describeFound(await shelters.find(params.shelterId)),
  });

export const updateShelter: Route<"shelters" | "clock"> = (app, services) =>
  app.patch("/shelters/:shelterId", {
    schema: {
      operationId: "updateShelter",
      summary: "Change a shelter",
      description:
        "Changes the given members and keeps the others; `null` removes a member. `address` and `location` change as a whole. A key of this shelter may do this with access `manage`; every other key needs `admin`. `If-Match` takes the ETag of `getShelter`.",
      params: ShelterPath,
      body: ShelterPatch,
      answer: "The changed shelter.",
      response: { 200: ChangedShelter },
    },
    config: { access: "manage", ifMatch: true, errors: ["other_shelter"] },
    handler: async (request, reply) => {
      const { params, body } = request;
      const caller = callerOf(request);
      const origin = { ...auditOriginOf(request, services), access: caller.access };
      const precondition = preconditionOf(request, shelterText);
      try {
        return describeFound(await services.shelters.update(params.shelterId, body, origin, precondition));
      } catch (error) {
        const isTooLow = error instanceof ServiceError && error.code === "insufficient_access";
        if (isTooLow) requireAccess(caller, "admin", reply);
        throw error;
      }
    },
  });

export const deleteShelter: Route<"shelters" | "clock"> = (app, services) =>
  app.delete("/shelters/:shelterId", {
    schema: {
      operationId: "deleteShelter",
      summary: "Delete a shelter",
      description:
        "Only a shelter without animals, people and keys that are not revoked, and never the first one. Open invitations to it are revoked. `If-Match` takes the ETag of `getShelter`.",
      params: ShelterPath,
      answer: "The shelter is deleted.",
    },
    config: { access: "admin", ifMatch: true, errors: ["shelter_in_use"] },
    handler: async (request, reply) => {
      const { shelterId } = request.params;
      const origin = auditOriginOf(request, services);
      const precondition = preconditionOf(request, shelterText);
      const isDeleted = await services.shelters.delete(shelterId, origin, precondition);
      if (!isDeleted) throw new ServiceError("shelter_not_found");
      return reply.code(204).send();
    },
  });

export const shelterRoutes = routePlugin(
  "Shelters",
  listShelters,
  createShelter,
  getShelter,
  updateShelter,
  deleteShelter,
);

const serialize = compileSerializer({ schema: Shelter, method: "GET", url: "/v1/shelters/:shelterId" });

/** The body of getShelter, from which its ETag is computed. */
function shelterText(shelter: DomainShelter): string {
  return serialize(describeShelter(shelter));
}

function describeFound(shelter: DomainShelter | undefined) {
  if (shelter === undefined) throw new ServiceError("shelter_not_found");
  return describeShelter(shelter);
}
