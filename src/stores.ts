// The stores on one database, which publish their changes to the gate.

import type { Config } from "./config/config.ts";
import type { CategoryStore } from "./domain/animals/category.ts";
import type { ListingStore } from "./domain/animals/listing.ts";
import type { TextStore } from "./domain/animals/search-text.ts";
import type { Clock } from "./domain/basics/clock.ts";
import type { EventStore } from "./domain/events/event.ts";
import type { IdempotencyStore, PostStores } from "./domain/idempotency.ts";
import type { AuditStore } from "./domain/keys/audit.ts";
import type { Gate } from "./domain/keys/gate.ts";
import { createIssueSecret } from "./domain/keys/issue-secret.ts";
import { createKeyCache, type KeyCache } from "./domain/keys/key-cache.ts";
import { createKeyRing } from "./domain/keys/key-ring.ts";
import { createSeenSecrets } from "./domain/keys/key-verifier.ts";
import type { InvitationStore } from "./domain/people/invitation.ts";
import { createPeople } from "./domain/people/people.ts";
import type { SiteStore } from "./domain/site/site.ts";
import type { UsageStore } from "./domain/usage/usage-store.ts";
import type { DispatchStore } from "./domain/webhooks/dispatch.ts";
import type { Database, LostChanges } from "./storage/database.ts";
import { createTextStore } from "./storage/search/pet-texts.ts";
import { createCategoryStore } from "./storage/stores/animals/categories.ts";
import { readNewestNumber } from "./storage/stores/animals/history.ts";
import { createListingStore } from "./storage/stores/animals/listings.ts";
import { createPetStore } from "./storage/stores/animals/pets.ts";
import { createPhotoStore } from "./storage/stores/animals/photos.ts";
import { createEventStore } from "./storage/stores/events/events.ts";
import { createIdempotencyStore, type Touched } from "./storage/stores/kept-answers.ts";
import { createKeyStore } from "./storage/stores/keys/api-keys.ts";
import { createAuditStore } from "./storage/stores/keys/audit.ts";
import { createOrderStore } from "./storage/stores/orders/orders.ts";
import { createInvitationStore } from "./storage/stores/people/invitations.ts";
import { createPersonStore } from "./storage/stores/people/people.ts";
import { createShelterStore } from "./storage/stores/shelters/shelters.ts";
import { createSiteStore } from "./storage/stores/site/site.ts";
import { createUsageStore } from "./storage/stores/usage/usage.ts";
import { createDispatchStore } from "./storage/stores/webhooks/deliveries.ts";
import { createWebhookStore } from "./storage/stores/webhooks/webhooks.ts";
import { type ChangeSignal, createChangeSignal } from "./tools/change-signal.ts";

/** Stored with the response to an idempotent request: `pets` or `key:ID`. Nodes of release 1.0 must be able to read it. */
const PETS = "pets";
const KEY = "key:";

export interface Stores extends PostStores {
  audit: AuditStore;
  categories: CategoryStore;
  listings: ListingStore;
  site: SiteStore;
  idempotency: IdempotencyStore;
  events: EventStore;
  changes: ChangeSignal;
  dispatch: DispatchStore;
  texts: TextStore;
  invitations: Pick<InvitationStore, "forget">;
  usageCounts: UsageStore;
  /** Publishes the changes of an import, which no store makes. */
  petsChanged: Listener["petsChanged"];
}

interface Listener {
  petsChanged(version: number): Promise<void>;
  keyChanged(id: bigint, version: number): Promise<void>;
}

export function createStores(db: Database, config: Config, clock: Clock, gate: Gate | undefined): Stores {
  const keys = createKeyStore(db);
  const cache = gate?.hasVersions ? createKeyCache({ keys, clock, generation: gate.generation }) : undefined;
  const changes = createChangeSignal(async () => gate?.newestNumber?.() ?? readNewestNumber(db));
  const listener = createListener(db, { gate, cache, changes });
  const { environment, adminApiKey, orderHoldMs } = config;
  const seen = createSeenSecrets();
  const issueSecret = createIssueSecret(environment, seen);
  const ring = { clock, environment, adminApiKey, cache, seen };
  const build = (on: Database, { petsChanged, keyChanged }: Listener): PostStores => ({
    pets: createPetStore(on, petsChanged),
    orders: createOrderStore(on, { holdMs: orderHoldMs, changed: petsChanged }),
    keyRing: createKeyRing({ ...ring, keys: createKeyStore(on, keyChanged) }),
    people: createPeople({
      people: createPersonStore(on, keyChanged),
      invitations: createInvitationStore(on),
      issueSecret,
      clock,
    }),
    photos: createPhotoStore(on, petsChanged),
    webhooks: createWebhookStore(on),
    shelters: createShelterStore(on, petsChanged),
  });
  return {
    ...build(db, listener),
    audit: createAuditStore(db),
    categories: createCategoryStore(db, listener.petsChanged),
    listings: createListingStore(db, listener.petsChanged),
    site: createSiteStore(db),
    events: createEventStore(db),
    changes,
    dispatch: createDispatchStore(db),
    texts: createTextStore(db),
    invitations: createInvitationStore(db),
    usageCounts: createUsageStore(db),
    petsChanged: listener.petsChanged,
    idempotency: createIdempotencyStore(db, {
      bind: (joined) => bindStores(joined, build),
      publishChanges: (touched) => publishChanges(db, touched, listener),
    }),
  };
}

/** Publishes every change before its response is sent. */
function createListener(
  db: Database,
  { gate, cache, changes }: { gate: Gate | undefined; cache: KeyCache | undefined; changes: ChangeSignal },
): Listener {
  return {
    async petsChanged(version) {
      db.lineage?.note({ pets: version });
      changes.note(version);
      await gate?.publishPetsVersion(version);
    },
    async keyChanged(id, version) {
      db.lineage?.note({ keys: version });
      cache?.forget(id);
      await gate?.publishKeyVersion(id, version);
      await changes.noteKey(id);
    },
  };
}

/**
 * Compares the server of the database, and every other one that is found later, with the newest changes that are known. Call
 * it before anything is written.
 */
export async function guardLineage(
  db: Database,
  gate: Gate | undefined,
  { changes, onLost }: { changes?: ChangeSignal; onLost: (lost: LostChanges) => void },
): Promise<void> {
  await db.lineage?.guard({
    readPublished: async () => gate?.publishedNumber?.(),
    onRenewed(versions) {
      gate?.adoptVersions?.(versions);
      changes?.setBack(versions.pets);
    },
    onLost,
  });
}

/** Inside a transaction, changes are collected; they are published after the commit. */
function bindStores(joined: Database, build: (on: Database, listener: Listener) => PostStores) {
  const touched = new Map<string, number>();
  const stores = build(joined, {
    petsChanged: async (version) => void touched.set(PETS, version),
    keyChanged: async (id, version) => void touched.set(`${KEY}${id}`, version),
  });
  return { stores, touched };
}

async function publishChanges(
  db: Database,
  touched: Touched,
  { petsChanged, keyChanged }: Listener,
): Promise<void> {
  for (const [name, version] of touched) {
    if (name === PETS) {
      await petsChanged(version ?? (await readNewestNumber(db)));
      continue;
    }
    const id = BigInt(name.slice(KEY.length));
    await keyChanged(id, version ?? (await createKeyStore(db).find(id))?.version ?? 0);
  }
}
