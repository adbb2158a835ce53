// The animal operations: listPets, createPet, getPet, updatePet, deletePet, listPetHistory.

import { describeChange } from "../../domain/animals/history.ts";
import { type Listing, listingJson } from "../../domain/animals/listing.ts";
import { PET_TRANSITIONS, petJson, requirePet } from "../../domain/animals/pet.ts";
import { GET_PET_SUNSET_DAY } from "../../domain/basics/deprecation.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { describeTransitions } from "../../domain/basics/transition.ts";
import { callerOf, originOf } from "../admission/caller.ts";
import { preconditionOf } from "../pages/etag.ts";
import { answerCachedPage } from "../pages/page-cache.ts";
import { answerPage } from "../pages/pages.ts";
import { PageQuery } from "../schemas/members.ts";
import { ChangedPet, Changes, NewPet, Pet, PetPatch, PetPath, Pets, PetsQuery } from "../schemas/pets.ts";
import type { HttpServices } from "../services.ts";
import { addPet } from "./add-pet.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

const IF_MATCH_HINT = "`If-Match` takes the ETag of `getListing` or of `getPet`.";

export const listPets: Route<"petPages"> = (app, { petPages }) =>
  app.get("/pets", {
    schema: {
      operationId: "listPets",
      summary: "List animals",
      description:
        "One page of animals, in ascending order of id. The `Link` header has the address of the next page; it is absent on the last page.",
      querystring: PetsQuery,
      answer: "A page of animals.",
      response: { 200: Pets },
    },
    config: { access: "browse", etag: true },
    handler: async ({ query, admission }, reply) => {
      return (await answerCachedPage(reply, petPages, query, admission?.versions?.pets)) as never;
    },
  });

export const createPet: Route<"answerPost" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/pets", {
    schema: {
      operationId: "createPet",
      summary: "Add an animal",
      description: "The response is sent after the animal is written to disk.",
      body: NewPet,
      answer: "The created animal.",
      response: { 201: Pet },
    },
    config: { access: "manage" },
    handler: (request, reply) =>
      services.answerPost(request, reply, ({ pets }) =>
        addPet(request.body, originOf(request, services), { pets, publicUrl: services.publicUrl }),
      ),
  });

export const getPet: Route<"pets"> = (app, { pets }) =>
  app.get("/pets/:petId", {
    schema: {
      operationId: "getPet",
      summary: "Get an animal",
      description: `Will be removed on ${GET_PET_SUNSET_DAY}. Use \`listPets\` with a \`status\` filter instead, or \`getListing\` for one animal.`,
      params: PetPath,
      answer: "The animal.",
      response: { 200: Pet },
    },
    config: { access: "browse", etag: true, deprecated: true },
    handler: async ({ params }) => requirePet(await pets.find(params.petId)),
  });

export const updatePet: Route<"pets" | "clock" | "publicUrl"> = (app, services) =>
  app.patch("/pets/:petId", {
    schema: {
      operationId: "updatePet",
      summary: "Change an animal",
      description: `Allowed status transitions: ${describeTransitions(PET_TRANSITIONS)}. The current status is accepted and changes nothing. While an order is open, only the order changes the status. ${IF_MATCH_HINT}`,
      params: PetPath,
      body: PetPatch,
      answer: "The changed animal.",
      response: { 200: ChangedPet },
    },
    config: {
      access: "manage",
      ifMatch: true,
      errors: ["other_shelter", "invalid_transition", "pet_has_open_order"],
    },
    handler: async (request) => {
      const { params, body } = request;
      const stamp = originOf(request, services);
      const precondition = preconditionOf(request, petJson, listingText(stamp.atMs, services));
      return requirePet(await services.pets.update(params.petId, body, stamp, precondition));
    },
  });

export const deletePet: Route<"pets" | "clock" | "publicUrl"> = (app, services) =>
  app.delete("/pets/:petId", {
    schema: {
      operationId: "deletePet",
      summary: "Delete an animal",
      description: `Permanent. The history and the past orders of the animal remain. ${IF_MATCH_HINT}`,
      params: PetPath,
      answer: "The animal is deleted.",
    },
    config: { access: "manage", ifMatch: true, errors: ["other_shelter", "pet_has_open_order"] },
    handler: async (request, reply) => {
      const stamp = originOf(request, services);
      const precondition = preconditionOf(request, petJson, listingText(stamp.atMs, services));
      const isDeleted = await services.pets.delete(request.params.petId, stamp, precondition);
      if (!isDeleted) throw new ServiceError("pet_not_found");
      return reply.code(204).send();
    },
  });

export const listPetHistory: Route<"pets" | "publicUrl"> = (app, services) =>
  app.get("/pets/:petId/history", {
    schema: {
      operationId: "listPetHistory",
      summary: "List the changes of an animal",
      description:
        "One page of the changes of an animal and its orders, in ascending order of number; also for a deleted animal. Numbers count all changes in the store, and no change appears later with a lower number. A key of a shelter sees changes of orders only for animals of this shelter.",
      params: PetPath,
      querystring: PageQuery,
      answer: "A page of changes.",
      response: { 200: Changes },
    },
    config: { access: "manage", etag: true },
    handler: async (request, reply) => {
      const { query, params } = request;
      const { petId } = params;
      const { shelterId: keyShelterId } = callerOf(request);
      const changes = await answerPage(reply, query, {
        path: `pets/${petId}/history`,
        base: apiUrl(services),
        read: (page) => services.pets.history(petId, { ...page, keyShelterId }),
      });
      // An animal that is older than the change history has no changes.
      if (changes.length === 0 && query.cursor === undefined) requirePet(await services.pets.find(petId));
      return changes.map(describeChange);
    },
  });

/** Writes the body of getListing. */
function listingText(
  nowMs: number,
  { publicUrl }: Pick<HttpServices, "publicUrl">,
): (listing: Listing) => string {
  return (listing) => listingJson(listing, { nowMs, publicUrl: publicUrl() });
}

export const petRoutes = routePlugin(
  "Animals",
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
  listPetHistory,
);
