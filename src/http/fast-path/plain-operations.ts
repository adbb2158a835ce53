// Performs the operations of plain requests.

import type { IncomingMessage } from "node:http";
import { type NewPet, petJson, requirePet } from "../../domain/animals/pet.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import {
  type ListingPageRequest,
  type ListingPages,
  readListing,
  visitorOf,
} from "../pages/listing-pages.ts";
import { type CachedBody, createCachedBody } from "../pages/page-cache.ts";
import type { PetPages } from "../pages/pet-pages.ts";
import { parseJson } from "../request/body.ts";
import { compileValidator } from "../request/validation.ts";
import { addPet } from "../routes/add-pet.ts";
import { NewPet as NewPetSchema } from "../schemas/pets.ts";
import type { HttpServices } from "../services.ts";
import type { PlainContent, PlainRequest } from "./plain-request.ts";

export type OperationServices = Pick<HttpServices, "clock" | "listings" | "pets" | "publicUrl">;

export interface OperationParts {
  petPages: PetPages;
  listingPages: ListingPages;
}

export function createPlainOperations(
  services: OperationServices,
  { petPages, listingPages }: OperationParts,
) {
  const { pets, clock } = services;
  const validate = compileValidator({
    schema: NewPetSchema,
    httpPart: "body",
    method: "POST",
    url: "/v1/pets",
  });

  async function createPet({ pending: { request }, key }: PlainRequest): Promise<PlainContent> {
    const read = validate(readBody(request)) as { value: NewPet } | { error: Error };
    if ("error" in read) throw read.error;
    const { location, body } = await addPet(read.value, { keyId: key.id, atMs: clock.nowMs() }, services);
    const text = petJson(body);
    return { location, body: text, bytes: Buffer.byteLength(text) };
  }

  return {
    /** From the cache; undefined for what is not cached. */
    recall({ operation, key }: PlainRequest, version: number | undefined): CachedBody | undefined {
      if (operation.name === "listPets") return petPages.recall(operation.page, version);
      if (operation.name !== "listListings") return undefined;
      return listingPages.recall(visiblePage(operation.page, key), version);
    },

    /** Rejects with `pet_not_found`, `invalid_cursor`, and the faults of a create. */
    async perform(plain: PlainRequest, version: number | undefined): Promise<PlainContent> {
      const { operation } = plain;
      switch (operation.name) {
        case "listPets":
          return petPages.read(operation.page, version);
        case "listListings":
          return listingPages.read(visiblePage(operation.page, plain.key), version);
        case "getPet":
          return createCachedBody(petJson(requirePet(await pets.find(operation.petId))));
        case "getListing":
          return createCachedBody(await readListing(services, operation.petId, plain.key));
        case "createPet":
          return createPet(plain);
      }
    },
  };
}

function visiblePage(page: ListingPageRequest, key: ApiKey): ListingPageRequest {
  const visitor = visitorOf(key);
  return visitor === undefined ? page : { ...page, visitor };
}

/** Throws `invalid_json`. */
function readBody(request: IncomingMessage): unknown {
  // The client has disconnected while the gate was asked; the response is only counted and logged.
  if (request.destroyed) throw new ServiceError("bad_request");
  return parseJson(request.read());
}
