// The table of contents of the API: every hook and every route, in the order of a request.

import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyInstance, type onRequestHookHandler } from "fastify";
import { FILE_READS_PER_MINUTE } from "../domain/animals/photo-limits.ts";
import { type AddressBudgets, createAddressBudgets } from "../domain/keys/address-budgets.ts";
import { PAGE_READS_PER_MINUTE } from "../domain/site/site-limits.ts";
import {
  chargeAddress,
  createAdmission,
  refuseMalformed,
  refuseUnrouted,
  setAnonymousRateHeaders,
} from "./admission/admission.ts";
import { createKeyUse } from "./admission/key-use.ts";
import { answerPreflight } from "./admission/preflight.ts";
import { createVisitors, setCacheHeaders } from "./admission/visitors.ts";
import { createEventStreams } from "./events/event-streams.ts";
import { createFeedReaders, type FeedReaders } from "./events/feed-readers.ts";
import { createLongPolls } from "./events/long-poll.ts";
import { createFastPath } from "./fast-path/fast-path.ts";
import { setCommonHeaders } from "./headers/common-headers.ts";
import { createRecord, createReplyRecord } from "./observe/request-log.ts";
import { collectOperations } from "./openapi/operations.ts";
import { addEtags } from "./pages/etag.ts";
import { createListingPages, type ListingPages } from "./pages/listing-pages.ts";
import { createPetPages, type PetPages } from "./pages/pet-pages.ts";
import { createErrorHandler } from "./replies/error-handler.ts";
import { createPostAnswers } from "./replies/idempotent-posts.ts";
import { handleBodies } from "./request/body.ts";
import { createFileReceiver } from "./request/upload-file.ts";
import { auditRoutes } from "./routes/audit.ts";
import { categoryRoutes } from "./routes/categories.ts";
import { clientRoutes } from "./routes/client.ts";
import { consoleRoutes } from "./routes/console.ts";
import { documentRoutes } from "./routes/documents.ts";
import { eventRoutes } from "./routes/events.ts";
import { exportRoutes } from "./routes/exports.ts";
import { healthRoutes } from "./routes/health.ts";
import { imageFileRoutes } from "./routes/image-files.ts";
import { importRoutes } from "./routes/imports.ts";
import { invitationRoutes } from "./routes/invitations.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listingRoutes } from "./routes/listings.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { orderRoutes } from "./routes/orders.ts";
import { peopleRoutes } from "./routes/people.ts";
import { petRoutes } from "./routes/pets.ts";
import { photoRoutes } from "./routes/photos.ts";
import { sampleFileRoutes } from "./routes/sample-files.ts";
import { sessionRoutes } from "./routes/session.ts";
import { shelterRoutes } from "./routes/shelters.ts";
import { siteRoutes } from "./routes/site.ts";
import { sitePageRoutes } from "./routes/site-pages.ts";
import { trafficRoutes } from "./routes/traffic.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { widgetRoutes } from "./routes/widget.ts";
import { frameworkOptions, prepareFramework } from "./server/framework.ts";
import { createServerFactory, TIMEOUTS } from "./server/http-server.ts";
import type { HttpServices } from "./services.ts";
import { createConsoleBuildFinder } from "./static/console-build.ts";
import { createRenderedPages, type RenderedPages } from "./static/rendered-pages.ts";

export async function buildApp(services: HttpServices): Promise<FastifyInstance> {
  const { publicUrl, sitePages } = services;
  const petPages = createPetPages(services);
  const listingPages = createListingPages(services);
  const record = createRecord(services);
  const recordKeyUse = createKeyUse(services);
  const visitors = createVisitors(services);
  // The server gives every request to the fast path, which passes to Fastify whatever it does not answer.
  const renderedPages = createRenderedPages();
  const pageBudgets = createAddressBudgets(PAGE_READS_PER_MINUTE);
  const pages = { petPages, listingPages, renderedPages, pageBudgets };
  const fastPath = createFastPath(services, { ...pages, record, recordKeyUse, visitors });
  const { serverFactory, drain } = createServerFactory(services, fastPath.serve);
  const options = { ...frameworkOptions(services), serverFactory };
  const app = Fastify(options).withTypeProvider<TypeBoxTypeProvider>();
  prepareFramework(app);
  const findBuild = createConsoleBuildFinder();
  app.setErrorHandler(createErrorHandler({ publicUrl, sitePages, findBuild }));

  const readers = createFeedReaders(services);
  const operations = collectOperations(app);
  const { admit, refuseUnknown } = createAdmission(app, { ...services, recordKeyUse, visitors });
  app.addHook("onRoute", fastPath.readRoute);
  app.addHook("onRoute", addEtags);

  // Hooks call back instead of returning promises: each promise would cost 1 to 2 µs per request.
  app.addHook("onRequest", setCommonHeaders(services));
  app.addHook("onRequest", refuseMalformed(services));
  app.addHook("onRequest", answerPreflight(services));
  app.addHook("onRequest", refuseUnknown);
  const times = { ...TIMEOUTS, ...services.timeouts };
  handleBodies(app, times);
  const receiveFile = createFileReceiver(services.uploadFolder, times);
  app.addHook("onSend", setAnonymousRateHeaders(services));
  const recordReply = createReplyRecord(record, services);
  app.addHook("onResponse", (request, reply, done) => {
    recordReply(request, reply);
    done();
  });
  app.addHook("preClose", drain);

  await registerPages(app, services, { findBuild, operations, renderedPages, pageBudgets, admit });
  const operationParts = { petPages, listingPages, readers, recordReply, receiveFile };
  await app.register(
    async (api) => {
      api.addHook("onRequest", admit);
      api.addHook("onSend", setCacheHeaders);
      api.setNotFoundHandler(refuseUnrouted);
      await registerOperations(api, services, operationParts);
    },
    { prefix: "/v1" },
  );
  app.setNotFoundHandler(refuseUnrouted);
  return app;
}

interface PageParts {
  findBuild: ReturnType<typeof createConsoleBuildFinder>;
  operations: ReturnType<typeof collectOperations>;
  renderedPages: RenderedPages;
  pageBudgets: AddressBudgets;
  admit: onRequestHookHandler;
}

/** The pages and files outside /v1. */
async function registerPages(
  app: FastifyInstance,
  services: HttpServices,
  { findBuild, operations, renderedPages, pageBudgets, admit }: PageParts,
): Promise<void> {
  const { publicUrl, stagingUrl, contactUrl, orderHoldMs, reference, sitePages, photos } = services;
  const { metrics, metricsToken, health } = services;
  await app.register(consoleRoutes, { findBuild, publicUrl, orderHoldMs, sitePages });
  await app.register(sampleFileRoutes);
  await app.register(documentRoutes, { operations, findBuild, reference, publicUrl, stagingUrl, contactUrl });
  await app.register(clientRoutes, services);
  await app.register(healthRoutes, services);
  const chargeFile = chargeAddress(createAddressBudgets(FILE_READS_PER_MINUTE), services);
  await app.register(imageFileRoutes, { photos, chargeFile });
  await app.register(widgetRoutes, { findBuild, chargeFile });
  const chargePage = chargeAddress(pageBudgets, services);
  await app.register(sitePageRoutes, { publicUrl, sitePages, renderedPages, chargePage, chargeFile });
  await app.register(metricsRoutes, { admit, metrics, metricsToken, health });
}

interface OperationParts {
  petPages: PetPages;
  listingPages: ListingPages;
  readers: FeedReaders;
  recordReply: ReturnType<typeof createReplyRecord>;
  receiveFile: ReturnType<typeof createFileReceiver>;
}

/** The operations of /v1. */
async function registerOperations(
  api: FastifyInstance,
  services: HttpServices,
  parts: OperationParts,
): Promise<void> {
  const { petPages, listingPages, readers, recordReply, receiveFile } = parts;
  const { publicUrl, clock, pets, listings, photos, images, orders, keyRing, gate, usage } = services;
  const { shelters, people, webhooks, webhookGateway } = services;
  const answerPost = createPostAnswers(services);
  const streams = createEventStreams(services, readers);
  const readOrWait = createLongPolls(services, readers);
  const { limits: streamLimits } = readers;
  await api.register(petRoutes, { answerPost, petPages, pets, clock, publicUrl });
  await api.register(listingRoutes, { listingPages, listings, clock, publicUrl });
  await api.register(photoRoutes, { answerPost, photos, images, clock, publicUrl });
  await api.register(importRoutes, { ...services, receiveFile });
  await api.register(exportRoutes, services);
  await api.register(orderRoutes, { answerPost, orders, pets, clock, publicUrl });
  await api.register(categoryRoutes, services);
  await api.register(shelterRoutes, { answerPost, shelters, clock, publicUrl });
  await api.register(siteRoutes, services);
  await api.register(eventRoutes, { readOrWait, streams, recordReply, publicUrl });
  await api.register(webhookRoutes, { answerPost, webhooks, webhookGateway, clock, publicUrl });
  await api.register(keyRoutes, { answerPost, keyRing, gate, clock, publicUrl });
  await api.register(peopleRoutes, services);
  await api.register(invitationRoutes, { answerPost, people, clock, publicUrl });
  await api.register(sessionRoutes, { answerPost, keyRing, publicUrl });
  await api.register(auditRoutes, services);
  await api.register(trafficRoutes, { streamLimits, keyRing, gate, usage, webhooks, clock });
}
