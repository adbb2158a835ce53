// The stores over one database, and how the gate hears of what they change.

import type { Config } from "./config.ts";
import type { CategoryStore } from "./domain/category.ts";
import type { Clock } from "./domain/clock.ts";
import type { Gate } from "./domain/gate.ts";
import type { OnceStore, PostStores } from "./domain/idempotency.ts";
import { createKeyCache, type KeyCache } from "./domain/key-cache.ts";
import { createKeyRing } from "./domain/key-ring.ts";
import { createKeyStore } from "./storage/api-keys.ts";
import { createCategoryStore } from "./storage/categories.ts";
import type { Database } from "./storage/database.ts";
import { createOnceStore } from "./storage/once.ts";
import { createOrderStore } from "./storage/orders.ts";
import { createPetStore } from "./storage/pets.ts";

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
  const isShared = config.redisUrl !== undefined;
  const cache: KeyCache | undefined = isShared
    ? createKeyCache({ keys: createKeyStore(db), clock })
    : undefined;
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
      keyRing: createKeyRing({ keys, clock, environment, adminApiKey, cache }),
    };
  }

  /** Within one transaction, the gate hears of nothing before it is durable. */
  function bind(joined: Database) {
    const news = new Map<string, () => Promise<void>>();
    const stores = build(joined, {
      petsChanged: async () => void news.set("pets", listener.petsChanged),
      keyChanged: async (id) => void news.set(`key ${id}`, () => listener.keyChanged(id)),
    });
    const committed = async () => {
      for (const tell of news.values()) await tell();
    };
    return { stores, committed };
  }

  return {
    ...build(db, listener),
    categories: createCategoryStore(db),
    once: createOnceStore(db, bind),
  };
}
