// The services that the HTTP part is given, and its additions to Fastify's requests and routes.

import type { Logger } from "pino";
import type { AggregatorFileWriter } from "../domain/animals/aggregator.ts";
import type { AnimalImporter } from "../domain/animals/animal-import.ts";
import type { CategoryStore } from "../domain/animals/category.ts";
import type { ListingStore } from "../domain/animals/listing.ts";
import type { PetStore } from "../domain/animals/pet-store.ts";
import type { PhotoStore } from "../domain/animals/photo.ts";
import type { ImageProcessor } from "../domain/animals/stored-image.ts";
import type { Clock } from "../domain/basics/clock.ts";
import type { ErrorCode } from "../domain/basics/errors.ts";
import type { EventStore } from "../domain/events/event.ts";
import type { IdempotencyStore } from "../domain/idempotency.ts";
import type { Admission } from "../domain/keys/admission.ts";
import type { ApiKey } from "../domain/keys/api-key.ts";
import type { AuditStore } from "../domain/keys/audit.ts";
import type { Gate } from "../domain/keys/gate.ts";
import type { KeyRing } from "../domain/keys/key-ring.ts";
import type { Access } from "../domain/keys/plan.ts";
import type { OrderStore } from "../domain/orders/order.ts";
import type { People } from "../domain/people/people.ts";
import type { ShelterStore } from "../domain/shelters/shelter.ts";
import type { SiteStore } from "../domain/site/site.ts";
import type { Usage } from "../domain/usage/usage-store.ts";
import type { WebhookGateway, WebhookStore } from "../domain/webhooks/webhook.ts";
import type { ChangeSignal } from "../tools/change-signal.ts";
import type { Health } from "./observe/health-metrics.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { OpenApiDocument } from "./openapi/document.ts";
import type { UploadTimes } from "./request/receive-body.ts";
import type { Upload } from "./request/upload-budget.ts";

/** `ready` and `degraded` may take requests; `reasons` say what is wrong. */
export interface Readiness {
  status: "ready" | "degraded" | "unavailable" | "stopping";
  reasons: string[];
  /** Identifies the store for `doctor`; absent if the database does not answer. */
  store?: string;
  /** The servers of the database, if DATABASE_URL names several. */
  servers?: Array<{ host: string; role: string }>;
}

export interface ServerTimeouts extends UploadTimes {
  headersMs: number;
  /** How long a client may read nothing while bytes wait for it. */
  stalledMs?: number;
}

export interface Timeouts extends ServerTimeouts {
  /** How often a stream gets a comment. */
  heartbeatMs?: number;
  /** How often an import sends its progress. */
  progressMs?: number;
  /** How long an export may take, also for a slow client. */
  exportMs?: number;
}

interface ConnectionLimits {
  total: number;
  /** Trusted proxies have no such limit: they forward the requests of many clients. */
  perAddress: number;
}

/** The pages at `/docs`. Passed in, because they are built from the document that this folder describes. */
export interface ReferencePages {
  /** `head` has the lines that load style and script; empty while these are not built. */
  renderPage(document: OpenApiDocument, head: string): string;
  renderMarkdown(document: OpenApiDocument): string;
}

interface RenderedPage {
  status: number;
  type: string;
  body: string;
}

/** Compared by identity: the same object as long as every page stays the same. */
export interface PublicState {
  site: { isPublic: boolean };
}

/** A public page that an address asks for. */
export interface WantedPage {
  /** Equal for addresses of the same page. */
  key: string;
  /** Costs more than a plain page, and has more forms than a cache can hold. */
  isSearch: boolean;
  render(state: PublicState): Promise<RenderedPage>;
}

/** The pages of the public site. Passed in, because they know nothing of HTTP. */
export interface PublicPages {
  /** At most 250 ms old. Fails with `unavailable`. */
  state(): PublicState | Promise<PublicState>;
  /** Undefined if it has to be read first. */
  freshState(): PublicState | undefined;
  /** By path; `:id` is the only parameter. */
  pages: Record<string, (id: string, query: URLSearchParams) => WantedPage>;
  /** Undefined for an error that has no page of its own. */
  renderFault(error: unknown): RenderedPage | undefined;
  /** The page of an address that does not exist. Undefined while the site is closed. Fails with `unavailable`. */
  renderMissing(): Promise<RenderedPage | undefined>;
  findStyle(name: string): { text: string; isCurrent: boolean } | undefined;
}

export interface HttpServices {
  clock: Clock;
  pets: PetStore;
  listings: ListingStore;
  orders: OrderStore;
  photos: PhotoStore;
  images: Pick<ImageProcessor, "processImage">;
  importAnimals: AnimalImporter;
  writeAggregatorFile: AggregatorFileWriter;
  /** Where uploaded files are kept until they are imported. */
  uploadFolder: string;
  audit: AuditStore;
  categories: CategoryStore;
  idempotency: IdempotencyStore;
  events: EventStore;
  changes: ChangeSignal;
  keyRing: KeyRing;
  people: People;
  webhooks: WebhookStore;
  shelters: ShelterStore;
  site: SiteStore;
  webhookGateway: WebhookGateway;
  gate: Gate;
  log: Logger;
  /** Whether the log line of every response has its path and the name of the key. */
  logsPaths?: boolean | undefined;
  /** Secrets of the settings, which the log must not show. */
  secrets?: string[];
  metrics: Metrics;
  usage: Pick<Usage, "count" | "readMinutes" | "readDays">;
  /** The address that clients use, without `/v1` and without a trailing slash. */
  publicUrl: () => string;
  stagingUrl: string | undefined;
  /** Where users of the API find help, also as `mailto:`; the reference page if undefined. */
  contactUrl: string | undefined;
  corsOrigins: string[] | undefined;
  metricsToken: string | undefined;
  trustProxy: string[];
  getPetDeprecatedMs: number;
  orderHoldMs: number;
  reference: ReferencePages;
  sitePages: PublicPages;
  readiness: () => Promise<Readiness>;
  health: () => Promise<Health>;
  isStopping: () => boolean;
  timeouts?: Timeouts;
  /** Absent: no limit. */
  connectionLimits?: ConnectionLimits;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The lowest access level that may call the operation. Required on every `/v1` route that is not keyless. */
    access?: Access;
    /** Needs no key, ignores any that is sent, and is charged to a budget of the address. */
    keyless?: boolean;
    /** Only for keys of kind `person`. */
    person?: boolean;
    /** Publishable keys may call the operation too; it shows them only what the public may see. */
    publishable?: boolean;
    /** False: not charged, and answered even when the limits of the key are used up. */
    charged?: boolean;
    /** Every response announces the removal of getPet, and the operation answers 410 from that day on. */
    deprecated?: boolean;
    /** Error codes of this operation besides those that follow from its path, query, body and method. */
    errors?: ErrorCode[];
    etag?: boolean;
    /** A change that If-Match may restrict: the handler gives `preconditionOf` to the store. A 200 has the new ETag. */
    ifMatch?: boolean;
    /** The body is an image, which the handler finds in `request.upload`, or a file, which the handler receives. */
    upload?: "image" | "file";
    /** A POST that may be repeated anyway: Idempotency-Key is ignored. */
    repeatable?: boolean;
    /** A list in descending order of number. */
    newestFirst?: boolean;
    /** The response is a stream of server-sent events. */
    stream?: boolean;
    /** The response is a CSV file. */
    csv?: boolean;
    /** The response holds the secret of a key or a webhook. */
    hasSecret?: boolean;
  }
  interface FastifyRequest {
    /** As `routeOptions`, which Fastify builds again each time it is read. */
    route: FastifyRequest["routeOptions"];
    apiKey: ApiKey | undefined;
    /** The publishable key in the query. */
    keyInQuery: string | undefined;
    admission: Admission | undefined;
    /** Digest of the body's bytes; present where the client sent an Idempotency-Key. */
    fingerprint: Buffer | undefined;
    /** The body of an operation that takes an image. */
    upload: Upload | undefined;
    /** A stream is recorded when it starts, not when it ends. */
    isRecorded: boolean | undefined;
  }
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    tag?: string;
    answer?: string;
  }
}
