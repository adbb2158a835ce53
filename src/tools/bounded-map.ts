// A map that drops its oldest entry when it is full.

import { createFifoMap } from "./fifo-map.ts";

export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  entries(): IterableIterator<[K, V]>;
}

export function createBoundedMap<K extends {}, V>(max: number): BoundedMap<K, V> {
  const map = createFifoMap<K, V>();
  return {
    get: map.get,
    delete: map.delete,
    entries: map.entries,
    set(key, value) {
      map.delete(key);
      const oldest = map.size >= max ? map.findOldest() : undefined;
      if (oldest !== undefined) map.delete(oldest);
      map.set(key, value);
    },
  };
}
