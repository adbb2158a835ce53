// Listings: listListings, countListings, getListing, updateProfile.

import { type Listing as DomainListing, listingJson } from "../../domain/animals/listing.ts";
import { requirePet } from "../../domain/animals/pet.ts";
import { LISTING_COUNT_MAX } from "../../domain/basics/list-limits.ts";
import { PROFILE_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { originOf } from "../admission/caller.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { preconditionOf } from "../pages/etag.ts";
import { readListingsQuery } from "../pages/listings-query.ts";
import { answerCachedPage } from "../pages/page-cache.ts";
import { Listing, ListingCount, ListingCountQuery, Listings, ListingsQuery } from "../schemas/listings.ts";
import { PetPath } from "../schemas/pets.ts";
import { ProfilePatch } from "../schemas/profiles.ts";
import { type Route, routePlugin } from "./route.ts";

export const listListings: Route<"listingPages"> = (app, { listingPages }) =>
  app.get("/listings", {
    schema: {
      operationId: "listListings",
      summary: "List animals with profile and photos",
      description:
        "One page of listings, newest first; without `status`, of available animals only. An animal must match every filter. The `Link` header has the address of the next page; it is absent on the last page.",
      querystring: ListingsQuery,
      answer: "A page of listings.",
      response: { 200: Listings },
    },
    config: { access: "browse", etag: true },
    handler: async ({ query, admission }, reply) => {
      const { limit, cursor, ...filters } = query;
      const request = { limit, cursor, list: readListingsQuery(filters) };
      return (await answerCachedPage(reply, listingPages, request, admission?.versions?.pets)) as never;
    },
  });

export const countListings: Route<"listings" | "clock"> = (app, { listings, clock }) =>
  app.get("/listings/count", {
    schema: {
      operationId: "countListings",
      summary: "Count listings",
      description: `The number of animals that \`listListings\` lists with the same filters; without \`status\`, of available animals only. Counting stops at ${LISTING_COUNT_MAX}, and a long search ends with what it has found: then \`exact\` is false, and there are at least \`count\` animals.`,
      querystring: ListingCountQuery,
      answer: "The number of animals.",
      response: { 200: ListingCount },
    },
    config: { access: "browse" },
    handler: async ({ query }) => {
      const { filter } = readListingsQuery(query);
      const { count, isExact } = await listings.count(filter, clock.nowMs());
      return { count, exact: isExact };
    },
  });

export const getListing: Route<"listings" | "clock" | "publicUrl"> = (app, { listings, clock, publicUrl }) =>
  app.get("/listings/:petId", {
    schema: {
      operationId: "getListing",
      summary: "Get an animal with profile and photos",
      description: "In any status.",
      params: PetPath,
      answer: "The listing.",
      response: { 200: Listing },
    },
    config: { access: "browse", etag: true },
    handler: async ({ params }, reply) => {
      const listing = requirePet(await listings.find(params.petId));
      reply.type(JSON_TYPE);
      return listingJson(listing, { nowMs: clock.nowMs(), publicUrl: publicUrl() }) as never;
    },
  });

export const updateProfile: Route<"listings" | "clock" | "publicUrl"> = (app, services) =>
  app.patch("/pets/:petId/profile", {
    bodyLimit: PROFILE_BYTES_MAX,
    schema: {
      operationId: "updateProfile",
      summary: "Change the profile of an animal",
      description:
        "Changes the given members and keeps the others; `null` removes a member. `goodWith` and `custom` change member by member, every other member as a whole. `shelterId` moves the animal to another shelter. `If-Match` takes the ETag of `getListing`.",
      params: PetPath,
      body: ProfilePatch,
      answer: "The listing with the changed profile.",
      response: { 200: Listing },
    },
    config: { access: "manage", ifMatch: true, errors: ["other_shelter", "external_id_taken"] },
    handler: async (request, reply) => {
      const stamp = originOf(request, services);
      const view = { nowMs: stamp.atMs, publicUrl: services.publicUrl() };
      const textOf = (listing: DomainListing) => listingJson(listing, view);
      const { petId } = request.params;
      const precondition = preconditionOf(request, textOf);
      const listing = await services.listings.updateProfile(petId, request.body, stamp, precondition);
      reply.type(JSON_TYPE);
      return textOf(requirePet(listing)) as never;
    },
  });

export const listingRoutes = routePlugin("Listings", listListings, countListings, getListing, updateProfile);
