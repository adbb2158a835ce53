// What the door for clients is given, and what it adds to Fastify's requests and routes.

import type { Logger } from "pino";
import type { CategoryStore } from "../domain/category.ts";
import type { Clock } from "../domain/clock.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { IdempotencyStore } from "../domain/idempotency.ts";
import type { Access } from "../domain/keys/access.ts";
import type { ApiKey } from "../domain/keys/api-key.ts";
import type { Gate } from "../domain/keys/gate.ts";
import type { KeyRing } from "../domain/keys/key-ring.ts";
import type { Admission } from "../domain/keys/limits.ts";
import type { OrderStore } from "../domain/order.ts";
import type { PetStore } from "../domain/pet.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { OpenApiDocument } from "./openapi/document.ts";
import type { ConnectionLimits } from "./server/connections.ts";

/** `ready` and `degraded` may take requests; `reasons` say what is amiss. */
export interface Readiness {
  status: "ready" | "degraded" | "unavailable" | "stopping";
  reasons: string[];
}

export interface Timeouts {
  headersMs: number;
  requestMs: number;
  checkEveryMs: number;
  /** How long a client may take no bytes while there are some for it. */
  stalledMs?: number;
}

/** The pages at `/docs`. Passed in, because they are built from the document that this folder describes. */
export interface ReferencePages {
  renderPage(document: OpenApiDocument): string;
  style: string;
  script: string;
}

export interface HttpServices {
  clock: Clock;
  pets: PetStore;
  orders: OrderStore;
  categories: CategoryStore;
  idempotency: IdempotencyStore;
  keyRing: KeyRing;
  gate: Gate;
  log: Logger;
  metrics: Metrics;
  /** The address clients use, without `/v1` and without a slash at the end. */
  publicUrl: () => string;
  stagingUrl: string | undefined;
  corsOrigins: string[] | undefined;
  /** Opens `/metrics` and nothing else. */
  metricsToken: string | undefined;
  trustProxy: string[];
  getPetDeprecatedMs: number;
  reference: ReferencePages;
  readiness: () => Promise<Readiness>;
  isStopping: () => boolean;
  timeouts?: Timeouts;
  /** Absent: as many as come. */
  connectionLimits?: ConnectionLimits;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The least access that the operation needs. Required on every `/v1` route. */
    access?: Access;
    /** False: answered even to a key that has nothing left, and not counted. */
    charged?: boolean;
    /** The getPet headers go with every answer, and the operation ends with its sunset. */
    deprecated?: boolean;
    /** Codes that this operation answers besides those every operation can. */
    errors?: ErrorCode[];
    /** Lists and animals: conditional reads by ETag. */
    etag?: boolean;
    /** The answer holds the secret of a key. */
    hasSecret?: boolean;
  }
  interface FastifyRequest {
    /** As `routeOptions`, which Fastify makes anew each time it is asked for. */
    route: FastifyRequest["routeOptions"];
    apiKey: ApiKey | undefined;
    admission: Admission | undefined;
    /** Of the body's bytes; present where the client sent an Idempotency-Key. */
    fingerprint: Buffer | undefined;
  }
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    tag?: string;
    /** What the 2xx answer is, in words, and the headers that it carries besides the common ones. */
    answer?: { description: string; headers?: string[] };
  }
}
