// The animal operations: listPets, createPet, getPet.

import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ServiceError } from "../../domain/errors.ts";
import { prepareNewPet } from "../../domain/pet.ts";
import { createPageCache } from "../page-cache.ts";
import { answerPage } from "../pages.ts";
import { NewPet, Pet, PetPath, Pets, PetsQuery } from "../schemas.ts";
import type { HttpServices } from "../services.ts";

export const petRoutes: FastifyPluginAsyncTypebox<
  Pick<HttpServices, "pets" | "publicUrl" | "clock">
> = async (app, { pets, publicUrl, clock }) => {
  const pages = createPageCache(pets, clock);
  const listUrl = () => `${publicUrl()}/v1/pets`;

  app.get(
    "/pets",
    {
      schema: {
        operationId: "listPets",
        tag: "Animals",
        summary: "List animals",
        description:
          "A page of animals by id, rising. The `Link` header has the address of the next page; the last page has none.",
        querystring: PetsQuery,
        answer: { description: "A page of animals.", headers: ["ETag", "Link"] },
        response: { 200: Pets },
      },
      config: { access: "browse", etag: true, errors: ["invalid_parameter", "invalid_cursor"] },
    },
    async ({ query: { status, ...page }, admission }, reply) => {
      const url = new URL(listUrl());
      if (status !== undefined) url.searchParams.set("status", status);
      return answerPage(reply, page, {
        url,
        read: (rows) => pages.list({ status }, rows, admission?.versions?.pets),
      });
    },
  );

  app.post(
    "/pets",
    {
      schema: {
        operationId: "createPet",
        tag: "Animals",
        summary: "Add an animal",
        description: "The answer is sent once the animal is on disk.",
        body: NewPet,
        answer: { description: "The created animal.", headers: ["Location"] },
        response: { 201: Pet },
      },
      config: { access: "manage" },
    },
    async ({ body }, reply) => {
      const pet = await pets.create(prepareNewPet(body));
      reply.code(201).header("location", `${listUrl()}/${pet.id}`);
      return pet;
    },
  );

  app.get(
    "/pets/:petId",
    {
      schema: {
        operationId: "getPet",
        tag: "Animals",
        summary: "Get an animal",
        description: "Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead.",
        params: PetPath,
        answer: { description: "The animal.", headers: ["ETag", "Deprecation", "Sunset", "Link"] },
        response: { 200: Pet },
      },
      config: {
        access: "browse",
        etag: true,
        deprecated: true,
        errors: ["pet_not_found", "operation_removed"],
      },
    },
    async ({ params }) => {
      const pet = await pets.find(params.petId);
      if (pet === undefined) throw new ServiceError("pet_not_found");
      return pet;
    },
  );
};
