// A map that drops its oldest entry when it is full.

export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  entries(): IterableIterator<[K, V]>;
}

export function createBoundedMap<K, V>(max: number): BoundedMap<K, V> {
  const map = new Map<K, V>();
  return {
    get: (key) => map.get(key),
    delete: (key) => void map.delete(key),
    entries: () => map.entries(),
    set(key, value) {
      map.delete(key);
      const [oldest] = map.size >= max ? map.keys() : [];
      if (oldest !== undefined) map.delete(oldest);
      map.set(key, value);
    },
  };
}
