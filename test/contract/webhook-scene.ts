// The stores that webhooks and their deliveries need, with short forms of what tests do most.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ClaimedDelivery } from "../../src/domain/webhooks/dispatch.ts";
import type { DisabledReason, Webhook } from "../../src/domain/webhooks/webhook.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createEventStore } from "../../src/storage/stores/events/events.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createDispatchStore } from "../../src/storage/stores/webhooks/deliveries.ts";
import { createWebhookStore } from "../../src/storage/stores/webhooks/webhooks.ts";
import { stampAt } from "../harness/clients/audit.ts";

export const LIMITS = { node: 50, endpoint: 4, events: 500 };
export const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

export function openWebhooks(db: Database) {
  const pets = createPetStore(db);
  const dispatch = createDispatchStore(db);
  const webhooks = createWebhookStore(db);
  const keys = createKeyStore(db);
  return {
    webhooks,
    dispatch,
    pets,
    keys,
    events: createEventStore(db),
    create: (settings: object = {}): Promise<Webhook> => {
      const defaults = { keyId: 0n, keyFingerprint: "k1", url: "https://hooks.example.net/1", after: "now" };
      return webhooks.create(
        { ...defaults, ...settings } as Parameters<typeof webhooks.create>[0],
        stampAt(1),
      );
    },
    find: async (id: bigint): Promise<Webhook> => (await webhooks.find(id)) ?? assert.fail("not found"),
    createKey: (settings: object = {}) =>
      keys.create(
        { name: "x", plan: "free", access: "manage", ...settings },
        { hash: randomBytes(32), hint: "x" },
        stampAt(1),
      ),
    addPets: async (count: number) => {
      for (let i = 0; i < count; i++) await pets.create(REX, { atMs: 1 });
    },
    take: (id: bigint, nowMs: number, limits: Partial<typeof LIMITS> = {}) =>
      dispatch.take(id, { ...LIMITS, ...limits }, nowMs),
    /** Four at most. A test that expects fewer does not use the others. */
    claim: async (id: bigint, nowMs: number, limits: Partial<typeof LIMITS> = {}) =>
      (await dispatch.take(id, { ...LIMITS, ...limits }, nowMs)).claimed as [
        ClaimedDelivery,
        ClaimedDelivery,
        ClaimedDelivery,
        ClaimedDelivery,
      ],
    succeed: (claimed: ClaimedDelivery, atMs: number) =>
      dispatch.record(claimed, { status: 204, atMs, isDelivered: true }, () => undefined),
    fail: (claimed: ClaimedDelivery, atMs: number, next?: number, reason?: DisabledReason) =>
      dispatch.record(
        claimed,
        { status: 500, atMs, isDelivered: false, nextAttemptAtMs: next },
        () => reason,
      ),
  };
}
