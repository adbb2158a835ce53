// The stores on one database, and the notices that their changes send to the gate.

import type { Config } from "./config.ts";
import type { AuditStore } from "./domain/audit.ts";
import type { CategoryStore } from "./domain/category.ts";
import { type ChangeSignal, createChangeSignal } from "./domain/change-signal.ts";
import type { Clock } from "./domain/clock.ts";
import type { DispatchStore } from "./domain/dispatch.ts";
import type { EventStore } from "./domain/event.ts";
import type { IdempotencyStore, PostStores } from "./domain/idempotency.ts";
import type { Gate } from "./domain/keys/gate.ts";
import { createKeyCache, type KeyCache } from "./domain/keys/key-cache.ts";
import { createKeyRing, createSeenSecrets } from "./domain/keys/key-ring.ts";
import type { ListingStore } from "./domain/listing.ts";
import type { TextStore } from "./domain/search-text.ts";
import type { UsageStore } from "./domain/usage/usage-store.ts";
import type { Database } from "./storage/database.ts";
import { createTextStore } from "./storage/search/pet-texts.ts";
import { createKeyStore } from "./storage/stores/api-keys.ts";
import { createAuditStore } from "./storage/stores/audit.ts";
import { createCategoryStore } from "./storage/stores/categories.ts";
import { createDispatchStore } from "./storage/stores/deliveries.ts";
import { createEventStore } from "./storage/stores/events.ts";
import { readNewestNumber } from "./storage/stores/history.ts";
import { createIdempotencyStore, type Touched } from "./storage/stores/idempotency.ts";
import { createListingStore } from "./storage/stores/listings.ts";
import { createOrderStore } from "./storage/stores/orders.ts";
import { createPetStore } from "./storage/stores/pets.ts";
import { createPhotoStore } from "./storage/stores/photos.ts";
import { createUsageStore } from "./storage/stores/usage.ts";
import { createWebhookStore } from "./storage/stores/webhooks.ts";

/** Stored with the response to an idempotent request: `pets` or `key:ID`. Nodes of release 1.0 must be able to read it. */
const PETS = "pets";
const KEY = "key:";

export interface Stores extends PostStores {
  audit: AuditStore;
  categories: CategoryStore;
  listings: ListingStore;
  idempotency: IdempotencyStore;
  events: EventStore;
  changes: ChangeSignal;
  dispatch: DispatchStore;
  texts: TextStore;
  usageCounts: UsageStore;
}

interface Listener {
  petsChanged(version: number): Promise<void>;
  keyChanged(id: bigint, version: number): Promise<void>;
}

export function createStores(db: Database, config: Config, clock: Clock, gate: Gate | undefined): Stores {
  const { environment, adminApiKey, orderHoldMs } = config;
  const stored = createKeyStore(db);
  const cache: KeyCache | undefined = gate?.hasVersions
    ? createKeyCache({ keys: stored, clock, generation: gate.generation })
    : undefined;
  const seen = createSeenSecrets();
  const changes = createChangeSignal(async () => gate?.newestNumber?.() ?? readNewestNumber(db));
  const listener: Listener = {
    async petsChanged(version) {
      changes.note(version);
      await gate?.publishPetsVersion(version);
    },
    async keyChanged(id, version) {
      cache?.forget(id);
      await gate?.publishKeyVersion(id, version);
    },
  };

  function build(on: Database, { petsChanged, keyChanged }: Listener): PostStores {
    const keys = createKeyStore(on, keyChanged);
    return {
      pets: createPetStore(on, petsChanged),
      orders: createOrderStore(on, { holdMs: orderHoldMs, changed: petsChanged }),
      keyRing: createKeyRing({ keys, clock, environment, adminApiKey, cache, seen }),
      photos: createPhotoStore(on, petsChanged),
      webhooks: createWebhookStore(on),
    };
  }

  /** Inside a transaction, changes are collected; the gate is told only after the commit. */
  function bind(joined: Database) {
    const touched = new Map<string, number>();
    const stores = build(joined, {
      petsChanged: async (version) => void touched.set(PETS, version),
      keyChanged: async (id, version) => void touched.set(`${KEY}${id}`, version),
    });
    return { stores, touched };
  }

  async function tell(touched: Touched): Promise<void> {
    for (const [what, version] of touched) {
      if (what === PETS) {
        await listener.petsChanged(version ?? (await readNewestNumber(db)));
        continue;
      }
      const id = BigInt(what.slice(KEY.length));
      await listener.keyChanged(id, version ?? (await stored.find(id))?.version ?? 0);
    }
  }

  return {
    ...build(db, listener),
    audit: createAuditStore(db),
    categories: createCategoryStore(db, listener.petsChanged),
    listings: createListingStore(db, listener.petsChanged),
    events: createEventStore(db),
    changes,
    dispatch: createDispatchStore(db),
    texts: createTextStore(db),
    usageCounts: createUsageStore(db),
    idempotency: createIdempotencyStore(db, { bind, tell }),
  };
}
