// A dispatcher over a store, with a clock that the test moves. Rounds run only when the test asks for one.

import { once } from "node:events";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { DispatchStore } from "../../../src/domain/webhooks/dispatch.ts";
import type { Database } from "../../../src/storage/database.ts";
import { createPetStore } from "../../../src/storage/stores/animals/pets.ts";
import { createDispatchStore } from "../../../src/storage/stores/webhooks/deliveries.ts";
import { createWebhookStore } from "../../../src/storage/stores/webhooks/webhooks.ts";
import { createAddressRules } from "../../../src/webhooks/addresses.ts";
import { startDispatcher } from "../../../src/webhooks/dispatcher.ts";
import type { Resolve } from "../../../src/webhooks/resolver.ts";
import { createSender } from "../../../src/webhooks/sender.ts";
import { deriveSecret } from "../../../src/webhooks/signature.ts";
import { createTargets } from "../../../src/webhooks/targets.ts";
import { openEmptyStore } from "../../contract/engines.ts";
import { stampAt } from "../../harness/clients/audit.ts";
import { createClock, type ManualClock } from "../../harness/servers/app.ts";
import { type Reaction, startReceiver } from "../../harness/servers/receiver.ts";

/** Longer than any round of a test. */
const NEVER_MS = 1_000_000_000;
export const KEY_FINGERPRINT = "k1";
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

interface NodeOptions {
  attemptMs?: number;
  stopGraceMs?: number;
  store?: DispatchStore;
  slowMs?: number;
  realMs?: () => number;
  /** Between automatic rounds; without it there are none. */
  roundMs?: number;
  /** Instead of the name servers of the system. */
  resolve?: Resolve;
  onFailed?: (error: unknown) => void;
  /** Throws instead of saying whether a webhook can be signed, for the key of this fingerprint. */
  unreadableKey?: string;
}

const throwError = (error: unknown) => {
  throw error;
};

export function createDispatchScene(
  t: TestContext,
  db: Database,
  clock: ManualClock = createClock(Date.UTC(2027, 0, 1)),
) {
  const webhooks = createWebhookStore(db);
  const dispatch = createDispatchStore(db);
  const pets = createPetStore(db);
  const seen = {
    delivered: 0,
    failed: 0,
    warned: [] as bigint[],
    disabled: [] as string[],
    unsigned: [] as bigint[],
  };

  return {
    clock,
    webhooks,
    dispatch,
    seen,
    create: (url: string, more: object = {}) =>
      webhooks.create(
        { keyId: 0n, keyFingerprint: KEY_FINGERPRINT, url, after: "now", ...more },
        stampAt(clock.nowMs()),
      ),
    async addPets(count: number) {
      for (let i = 0; i < count; i++) await pets.create(REX, { atMs: clock.nowMs() });
    },
    /** The newest delivery of a webhook. */
    newest: async (id: bigint) => (await webhooks.listDeliveries(id, { limit: 1 }))[0],
    /** One node; stopped with the test. */
    startNode(options: NodeOptions = {}) {
      const { attemptMs = 30_000, stopGraceMs = 0, store = dispatch, slowMs, realMs, roundMs } = options;
      const rules = createAddressRules({ allowHttp: true, allow: ["127.0.0.1"], findOwn: () => [] });
      const proxies = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };
      const targets = createTargets({ rules, proxies, ...(options.resolve && { resolve: options.resolve }) });
      const send = createSender({ targets, clock, attemptMs });
      const dispatcher = startDispatcher({
        store,
        clock,
        roundMs: roundMs ?? NEVER_MS,
        stopGraceMs,
        isAlone: false,
        random: () => 0.5,
        ...(slowMs !== undefined && { slowMs }),
        ...(realMs !== undefined && { realMs }),
        publicUrl: () => "https://animals.example.org",
        webhooks: {
          send,
          async canSign({ keyFingerprint }) {
            if (keyFingerprint === options.unreadableKey) throw new Error("the key cannot be read");
            return keyFingerprint === KEY_FINGERPRINT;
          },
          findSecrets: async ({ id }) => [deriveSecret("x".repeat(32), id, 1)],
        },
        changes: {
          wait: async (_number, waitMs, until) => {
            if (roundMs !== undefined) await pause(waitMs, undefined, { signal: until }).catch(() => {});
            else if (!until.aborted) await once(until, "abort");
          },
        },
        observer: {
          attempted: (result) => {
            seen[result] += 1;
          },
          warned: (id) => seen.warned.push(id),
          disabled: (_id, reason) => seen.disabled.push(reason),
          unsigned: (id) => seen.unsigned.push(id),
          failed: options.onFailed ?? throwError,
        },
      });
      t.after(() => dispatcher.stop());
      return dispatcher;
    },
  };
}

/** An empty store with one webhook, whose receiver answers with `reaction`. */
export async function startScene(t: TestContext, reaction?: Reaction, webhook: object = {}) {
  const scene = createDispatchScene(t, await openEmptyStore(t, "SQLite"));
  const receiver = await startReceiver(t, reaction);
  const { id } = await scene.create(receiver.url, webhook);
  return { scene, receiver, id };
}
