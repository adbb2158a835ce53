// The public interface of the client package: createClient, its types and its errors.

import { rememberEtag } from "./etag.ts";
import { createEventFeed } from "./events/feed.ts";
import type { EventFeed, EventsOptions } from "./events/options.ts";
import { readLatestCursor } from "./events/requests.ts";
import { OPERATIONS, type Operations } from "./generated/operations.ts";
import type { Operation } from "./operation.ts";
import { type CallOptions, type ClientOptions, readOptions } from "./options.ts";
import { createPages, type PageRequest } from "./pages.ts";
import type { RateState } from "./rate.ts";
import { buildRequest, readArguments } from "./request.ts";
import { createSender } from "./send.ts";

export * from "./errors.ts";
export { etagOf } from "./etag.ts";
export type { Event, EventType } from "./events/event.ts";
export type { EventFeed, EventsOptions } from "./events/options.ts";
export { OPERATIONS, type Operations } from "./generated/operations.ts";
export type * from "./generated/shapes.ts";
export { PLANS, TRANSITIONS, VALUES } from "./generated/shapes.ts";
export type { Int64 } from "./int64.ts";
export { parseJson, stringifyJson } from "./json.ts";
export type { Operation } from "./operation.ts";
export type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  Fetch,
  ImportOptions,
  PostOptions,
  Runtime,
} from "./options.ts";
export type { Page, Pages } from "./pages.ts";
export type { RateState, RateWindow } from "./rate.ts";
export * from "./service-errors.ts";
export type { UploadFile } from "./upload.ts";
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "./webhooks/verify.ts";

/**
 * A client: one method per operation, and the rate limits of its key.
 *
 * @example
 * async function listNames(client: Client): Promise<string[]> {
 *   const names: string[] = [];
 *   for await (const pet of client.listPets()) names.push(pet.name);
 *   return names;
 * }
 */
export interface Client extends Operations {
  /** The rate limits of the key, from the last response; undefined before the first one. */
  readonly rate: RateState | undefined;
  /**
   * The changes of the store as they happen: `for await (const event of client.events())`. Reads the stream of the service,
   * continues after a lost connection, and uses long polling where a proxy does not pass the stream on. Throws a
   * FeedResetError where the position is not valid any more, and a TypeError for options that cannot work.
   */
  events(options?: EventsOptions): EventFeed;
  /** The position after the newest event. Take it before you read the lists, and pass it to `events` as `after`. */
  latestCursor(options?: CallOptions): Promise<string>;
}

/**
 * A client with one method per operation of the service. Throws a TypeError for options that cannot work.
 *
 * @example
 * const client = createClient({ baseUrl: "https://animals.example.org", apiKey: "ask_live_YOUR_KEY" });
 * const rex = await client.createPet({ name: "Rex", categoryId: 3 });
 */
export function createClient(options: ClientOptions): Client {
  const settings = readOptions(options);
  const sender = createSender(settings);

  function bind([name, operation]: [string, Operation]): [string, (...args: unknown[]) => unknown] {
    const build = (args: unknown[], { cursor, ifNoneMatch }: PageRequest = {}) => {
      const input = readArguments(operation, args);
      if (cursor !== undefined) input.query = { ...input.query, cursor };
      return buildRequest(settings, [name, operation], { ...input, ifNoneMatch });
    };
    const call = async (args: unknown[]) => {
      const { body, headers } = await sender.send(build(args));
      rememberEtag(body, headers);
      return body;
    };
    return operation.isPaged
      ? [name, (...args) => createPages((page) => build(args, page), sender.send)]
      : [name, (...args) => call(args)];
  }

  const methods = Object.fromEntries(Object.entries(OPERATIONS).map(bind)) as unknown as Operations;
  return Object.defineProperties(methods, {
    rate: { get: () => sender.rate },
    events: { value: (options: EventsOptions = {}) => createEventFeed(settings, sender, options) },
    latestCursor: {
      value: async (options: CallOptions = {}) => readLatestCursor(settings, sender.send, options),
    },
  }) as Client;
}
