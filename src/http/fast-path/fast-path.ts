// Plain reads of animals and listings, and plain creates of animals, without the framework: most requests are these.

import type { RequestListener } from "node:http";
import type { RouteOptions } from "fastify";
import { isGetPetRemoved } from "../../domain/basics/deprecation.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { KeyRing } from "../../domain/keys/key-ring.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import { perTick } from "../../tools/per-tick.ts";
import type { RecordKeyUse } from "../admission/key-use.ts";
import { type Visitors, withVisit } from "../admission/visitors.ts";
import { createFaultAnswer } from "../replies/answer-error.ts";
import type { PendingRequest, ServeRequests } from "../server/pending-requests.ts";
import { isPipelineEnding } from "../server/pipelines.ts";
import type { HttpServices } from "../services.ts";
import { createPlainOperations, type OperationParts, type OperationServices } from "./plain-operations.ts";
import { createPlainRequestReader, type PlainRequest, type PlainRoute, plainKeyOf } from "./plain-request.ts";
import { createPlainResponses, type ResponseParts, type ResponseServices } from "./plain-responses.ts";
import { createPublicPageServer, type PublicPageParts, type PublicPageServices } from "./public-pages.ts";

type Services = OperationServices &
  ResponseServices &
  PublicPageServices &
  Pick<HttpServices, "gate" | "isStopping" | "keyRing" | "log">;
type Parts = OperationParts &
  ResponseParts &
  PublicPageParts & { recordKeyUse: RecordKeyUse; visitors: Visitors };

/** Returns whether the request goes on to the next stage now. If not, it was passed to Fastify, or goes on later. */
type Stage = (plain: PlainRequest) => boolean;

type Handover = ReturnType<typeof createHandover>;

export function createFastPath(services: Services, parts: Parts) {
  const routes = new Map<string, PlainRoute>();

  return {
    /** Hook for `onRoute`. */
    readRoute({ schema, config }: RouteOptions): void {
      const {
        access = "admin",
        deprecated: isDeprecated = false,
        publishable: isPublishable = false,
      } = config ?? {};
      if (schema?.operationId !== undefined)
        routes.set(schema.operationId, { access, isDeprecated, isPublishable, schema });
    },

    /** Serves plain requests with the same bytes as the framework, and passes every other request to it. */
    serve(framework: RequestListener): ServeRequests {
      const handover = createHandover(services, framework);
      const recognise = createRecogniser(services, routes, handover);
      const serveAll = createStages(services, parts, handover);
      const servePage = createPublicPageServer(services, parts);
      const isLeft = (pending: PendingRequest) => {
        try {
          return !servePage(pending);
        } catch (fault) {
          return handover.fail(pending, fault);
        }
      };
      return (all) => serveAll(recognise(all.filter(isLeft)));
    },
  };
}

/** The ways from the fast path to Fastify, which takes over what PendingRequest holds: nothing is charged twice. */
function createHandover(services: Services, framework: RequestListener) {
  const answerFault = createFaultAnswer(services);

  function passToFastify(pending: PendingRequest): false {
    const { request, response, pipeline } = pending;
    // An earlier request of the same tick may have ended the connection with its response.
    if (isPipelineEnding(pipeline)) return false;
    try {
      framework(request, response);
    } catch (fault) {
      answerFault(pending, fault);
    }
    return false;
  }

  function fail(pending: PendingRequest, fault: unknown): false {
    // Before an admission nothing was charged, so that Fastify can try again.
    if (pending.admission !== undefined) pending.fault = fault;
    if (!pending.response.headersSent) return passToFastify(pending);
    answerFault(pending, fault);
    return false;
  }

  /** Returns the requests that go on to the next stage. A stage that throws fails its own request only. */
  function run(stage: Stage, all: PlainRequest[]): PlainRequest[] {
    return all.filter((plain) => {
      try {
        return stage(plain);
      } catch (fault) {
        return fail(plain.pending, fault);
      }
    });
  }

  return { passToFastify, fail, run };
}

/** The returned function passes the requests to Fastify that the fast path cannot serve, and returns the others. */
function createRecogniser(
  { isStopping, clock, keyRing }: Services,
  routes: Map<string, PlainRoute>,
  { passToFastify, fail }: Handover,
) {
  const readPlainRequest = createPlainRequestReader();

  function recognise(pending: PendingRequest, recallKey: KeyRing["recall"]): PlainRequest | undefined {
    const { request, formFault, pipeline } = pending;
    // A read that cannot be answered any more does no harm, but a create would.
    if (isStopping() || formFault || (request.method === "POST" && isPipelineEnding(pipeline))) return;
    const operation = readPlainRequest(request);
    const route = operation && routes.get(operation.name);
    if (operation === undefined || route === undefined) return;
    if (route.isDeprecated && isGetPetRemoved(clock.nowMs())) return;
    const secret = plainKeyOf(operation, request);
    const key = secret === undefined ? undefined : recallKey(secret);
    if (key === undefined || !includesAccess(key.access, route.access)) return;
    if (key.kind === "publishable" && !route.isPublishable) return;
    pending.key = key;
    return { pending, operation, route, key, content: undefined };
  }

  function recogniseOrPass(pending: PendingRequest, recallKey: KeyRing["recall"]): PlainRequest | undefined {
    try {
      const plain = recognise(pending, recallKey);
      if (plain === undefined) passToFastify(pending);
      return plain;
    } catch (fault) {
      fail(pending, fault);
      return undefined;
    }
  }

  return (all: PendingRequest[]): PlainRequest[] => {
    const recallKey = recallOnce(keyRing);
    return all.map((pending) => recogniseOrPass(pending, recallKey)).filter((plain) => plain !== undefined);
  };
}

/** Requests of one tick with the same key hash its secret once (1 µs of 25), and no secret stays in memory. */
function recallOnce({ recall }: Pick<KeyRing, "recall">): KeyRing["recall"] {
  const known = new Map<string, ApiKey | undefined>();
  return (secret) => {
    if (!known.has(secret)) known.set(secret, recall(secret));
    return known.get(secret);
  };
}

/**
 * The requests of an event-loop tick go through the stages together, because code that has just run is still in the
 * processor's caches.
 */
function createStages(services: Services, parts: Parts, { passToFastify, fail, run }: Handover) {
  const { gate, log } = services;
  const { recall, perform } = createPlainOperations(services, parts);
  const { send, record } = createPlainResponses(services, parts);
  const answerLater = perTick(answer);
  const findContents = (all: PlainRequest[]) => answer(run(findContent, all));
  const findContentsLater = perTick(findContents);

  /** A gate that fails has charged nothing: Fastify asks it again and answers its failure. */
  function admit(plain: PlainRequest): boolean {
    const { pending, key, route } = plain;
    parts.recordKeyUse(key, log, route.isDeprecated);
    if (key.kind === "publishable" && !parts.visitors.isAdmitted(pending.request, key))
      return passToFastify(pending);
    const admission = gate.admit(key);
    if (!(admission instanceof Promise)) {
      pending.admission = withVisit(pending.request, admission);
      return true;
    }
    admission.then(
      (decided) => {
        pending.admission = withVisit(pending.request, decided);
        findContentsLater(plain);
      },
      () => passToFastify(pending),
    );
    return false;
  }

  function findContent(plain: PlainRequest): boolean {
    const { verdict, versions } = plain.pending.admission as Admission;
    if (verdict !== "admitted") return passToFastify(plain.pending);
    plain.content = recall(plain, versions?.pets);
    if (plain.content !== undefined) return true;
    perform(plain, versions?.pets).then(
      (content) => {
        plain.content = content;
        answerLater(plain);
      },
      (fault) => fail(plain.pending, fault),
    );
    return false;
  }

  function answer(all: PlainRequest[]): void {
    const sent = run(send, all);
    const endMs = performance.now();
    run((plain) => record(plain, endMs), sent);
  }

  return (all: PlainRequest[]) => findContents(run(admit, all));
}
