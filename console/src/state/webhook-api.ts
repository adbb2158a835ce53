// The webhook operations, with the names and arguments that the generated client gives them. Goes when the client has them:
// then `askWebhooks` is `ask`, and the types come from the client.

import { effect, signal } from "@preact/signals";
import {
  AccessError,
  AnimalStoreError,
  AuthenticationError,
  type CallOptions,
  ConnectionError,
  type Failure,
  type Int64,
  NotFoundError,
  type Page,
  parseJson,
  stringifyJson,
} from "../../../client/src/client.ts";
import { addressOf } from "./addresses.ts";
import { ask, hasAccess, session } from "./session.ts";

export interface Webhook {
  id: Int64;
  url: string;
  /** Absent: all types. */
  types?: string[];
  description?: string;
  status: "enabled" | "disabled";
  disabledReason?: "requested" | "gone" | "failing" | "key_ended";
  createdAt: string;
  lastSuccessAt?: string;
  /** The first failure since the last success. */
  failingSince?: string;
  /** Undelivered events. */
  pending: number;
}

export interface IssuedWebhook extends Webhook {
  secret: string;
}

export interface NewWebhook {
  url: string;
  types?: string[];
  description?: string;
}

/** `null` removes the types, for all types, or the description. `after: "now"` drops what is undelivered. */
export interface WebhookPatch {
  url?: string;
  types?: string[] | null;
  description?: string | null;
  status?: Webhook["status"];
  after?: "now";
}

/** Without `status` there was no response. */
export interface WebhookTest {
  status?: number;
  durationMs: number;
  error?: string;
  /** Only for access `admin`. */
  response?: string;
}

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  id: Int64;
  eventId: string;
  number: Int64;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt?: string;
  lastStatus?: number;
  lastError?: string;
  lastAttemptAt?: string;
}

interface DeliveriesQuery {
  status?: DeliveryStatus | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
}

type Replay = { deliveryId: Int64 } | { after: string };

interface Request {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
  options?: CallOptions | undefined;
}

const client = {
  listWebhooks: (query: { cursor?: string | undefined }, options?: CallOptions) => ({
    page: () => sendForPage<Webhook>({ method: "GET", path: "", query, options }),
  }),
  createWebhook: (body: NewWebhook, options?: CallOptions) =>
    send<IssuedWebhook>({ method: "POST", path: "", body, options }),
  getWebhook: (id: Int64, options?: CallOptions) => send<Webhook>({ method: "GET", path: `/${id}`, options }),
  updateWebhook: (id: Int64, body: WebhookPatch, options?: CallOptions) =>
    send<Webhook>({ method: "PATCH", path: `/${id}`, body, options }),
  deleteWebhook: (id: Int64, options?: CallOptions) =>
    send<void>({ method: "DELETE", path: `/${id}`, options }),
  testWebhook: (id: Int64, options?: CallOptions) =>
    send<WebhookTest>({ method: "POST", path: `/${id}/test`, options }),
  rotateWebhook: (id: Int64, options?: CallOptions) =>
    send<IssuedWebhook>({ method: "POST", path: `/${id}/rotate`, options }),
  listDeliveries: (id: Int64, query: DeliveriesQuery, options?: CallOptions) => ({
    page: () => sendForPage<Delivery>({ method: "GET", path: `/${id}/deliveries`, query, options }),
  }),
  replayWebhook: (id: Int64, body: Replay, options?: CallOptions) =>
    send<Webhook>({ method: "POST", path: `/${id}/replay`, body, options }),
};

export function askWebhooks<T>(work: (webhooks: typeof client) => Promise<T>): Promise<T> {
  return ask(() => work(client));
}

/** Whether the service has webhooks. */
export const hasWebhooks = signal(false);

effect(() => {
  if (session.value === undefined || !hasAccess("manage") || hasWebhooks.peek()) return;
  fetch(addressOf("openapi.json"))
    .then((response) => response.json())
    .then(({ paths }) => {
      hasWebhooks.value = paths["/webhooks"] !== undefined;
    })
    // Without the document, the page is not offered.
    .catch(() => {});
});

async function send<T>(request: Request): Promise<T> {
  return (await exchange(request)).body as T;
}

async function sendForPage<T>(request: Request): Promise<Page<T>> {
  const { body, link } = await exchange(request);
  const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link)?.[1];
  return { items: body as T[], next: next && decodeURIComponent(next), etag: undefined };
}

async function exchange({ method, path, query = {}, body, options }: Request) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given as string[][])}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(addressOf(`v1/webhooks${path}${search}`), {
      method,
      headers: {
        authorization: `Bearer ${session.value?.apiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: stringifyJson(body) }),
      ...(options?.signal && { signal: options.signal }),
    });
    text = await response.text();
  } catch (cause) {
    options?.signal?.throwIfAborted();
    throw new ConnectionError({ ...failureOf(undefined), cause });
  }
  if (!response.ok) throw readError(response.status, text);
  return { body: text === "" ? undefined : parseJson(text), link: response.headers.get("link") ?? "" };
}

const CLASSES: Record<number, typeof AnimalStoreError> = {
  401: AuthenticationError,
  403: AccessError,
  404: NotFoundError,
};

function readError(status: number, text: string): AnimalStoreError {
  const failure = failureOf(status);
  try {
    const { code, message } = parseJson(text) as Failure;
    Object.assign(failure, { code, message });
  } catch {
    // The page of a proxy.
  }
  return new (CLASSES[status] ?? AnimalStoreError)(failure);
}

function failureOf(status: number | undefined): Failure {
  const code = status === undefined ? "connection_failed" : "unexpected_answer";
  return { code, message: "", operation: "webhooks", requestId: "", status };
}
