// Listings: listListings, countListings, getListing, updateProfile.

import { type Listing as DomainListing, listingJson } from "../../domain/animals/listing.ts";
import { requirePet } from "../../domain/animals/pet.ts";
import { LISTING_COUNT_MAX } from "../../domain/basics/list-limits.ts";
import { PROFILE_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { callerOf, originOf } from "../admission/caller.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { preconditionOf } from "../pages/etag.ts";
import { readListing, visitorOf } from "../pages/listing-pages.ts";
import { checkVisibleStatus, readListingsQuery, visibleFilter } from "../pages/listings-query.ts";
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
    config: { access: "browse", publishable: true, etag: true },
    preValidation: async (request) => checkVisibleStatus(request.query, visitorOf(callerOf(request))),
    handler: async (request, reply) => {
      const { limit, cursor, ...filters } = request.query;
      const visitor = visitorOf(callerOf(request));
      const page = { limit, cursor, list: readListingsQuery(filters), visitor };
      const version = request.admission?.versions?.pets;
      return (await answerCachedPage(reply, listingPages, page, version)) as never;
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
    config: { access: "browse", publishable: true },
    preValidation: async (request) => checkVisibleStatus(request.query, visitorOf(callerOf(request))),
    handler: async (request) => {
      const filter = visibleFilter(readListingsQuery(request.query), visitorOf(callerOf(request)));
      const { count, isExact } = await listings.count(filter, clock.nowMs());
      return { count, exact: isExact };
    },
  });

export const getListing: Route<"listings" | "clock" | "publicUrl"> = (app, services) =>
  app.get("/listings/:petId", {
    schema: {
      operationId: "getListing",
      summary: "Get an animal with profile and photos",
      description: "In any status; with a publishable key, only while it is available or pending.",
      params: PetPath,
      answer: "The listing.",
      response: { 200: Listing },
    },
    config: { access: "browse", publishable: true, etag: true },
    handler: async (request, reply) => {
      const text = await readListing(services, request.params.petId, callerOf(request));
      reply.type(JSON_TYPE);
      return text as never;
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
