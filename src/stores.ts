// The stores over one database, and how the gate hears of what they change.

import type { Config } from "./config.ts";
import type { CategoryStore } from "./domain/category.ts";
import type { Clock } from "./domain/clock.ts";
import type { Gate } from "./domain/gate.ts";
import type { OnceStore, PostStores } from "./domain/idempotency.ts";
import { createKeyCache, type KeyCache } from "./domain/key-cache.ts";
import { createKeyRing, createSeenSecrets } from "./domain/key-ring.ts";
import { createKeyStore } from "./storage/api-keys.ts";
import { createCategoryStore } from "./storage/categories.ts";
import type { Database } from "./storage/database.ts";
import { createOnceStore } from "./storage/once.ts";
import { createOrderStore } from "./storage/orders.ts";
import { createPetStore } from "./storage/pets.ts";

/** How a kept answer says what its work has touched. */
const PETS = "pets";
const KEY = "key:";

export interface Stores extends PostStores {
  categories: CategoryStore;
  once: OnceStore;
}

interface Listener {
  petsChanged(): Promise<void>;
  keyChanged(id: bigint): Promise<void>;
}

export function createStores(db: Database, config: Config, clock: Clock, gate: Gate | undefined): Stores {
  const { environment, adminApiKey, orderHoldMs } = config;
  const cache: KeyCache | undefined = gate?.hasVersions
    ? createKeyCache({ keys: createKeyStore(db), clock })
    : undefined;
  const seen = createSeenSecrets();
  const listener: Listener = {
    petsChanged: async () => gate?.raisePets(),
    async keyChanged(id) {
      cache?.forget(id);
      await gate?.raiseKey(id);
    },
  };

  function build(on: Database, { petsChanged, keyChanged }: Listener): PostStores {
    const keys = createKeyStore(on, keyChanged);
    return {
      pets: createPetStore(on, petsChanged),
      orders: createOrderStore(on, { holdMs: orderHoldMs, changed: petsChanged }),
      keyRing: createKeyRing({ keys, clock, environment, adminApiKey, cache, seen }),
    };
  }

  /** Within one transaction, the gate hears of nothing before it is durable: what there is to tell is noted. */
  function bind(joined: Database) {
    const touched = new Set<string>();
    const stores = build(joined, {
      petsChanged: async () => void touched.add(PETS),
      keyChanged: async (id) => void touched.add(`${KEY}${id}`),
    });
    return { stores, touched };
  }

  async function tell(touched: Iterable<string>): Promise<void> {
    for (const each of touched) {
      if (each === PETS) await listener.petsChanged();
      else await listener.keyChanged(BigInt(each.slice(KEY.length)));
    }
  }

  return {
    ...build(db, listener),
    categories: createCategoryStore(db),
    once: createOnceStore(db, { bind, tell }),
  };
}
