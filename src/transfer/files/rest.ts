// The bytes of a record that is not complete yet. Those that come are added in place, so that many small pieces cost no more than one.

export interface Rest {
  /** All bytes kept, followed by these. Valid until the next call. */
  append(bytes: Buffer): Buffer;
  /** Drops what stands before `from` in the bytes given out last. */
  keep(from: number): void;
  length(): number;
}

export function createRest(): Rest {
  let store: Buffer = Buffer.alloc(0);
  let length = 0;
  /** Others may read from a buffer that was not made here: it must not be written to. */
  let isOwn = false;

  return {
    append(bytes) {
      const total = length + bytes.length;
      if (length === 0) {
        store = bytes;
        isOwn = false;
      } else {
        if (!isOwn || total > store.length) grow(2 * total);
        bytes.copy(store, length);
      }
      length = total;
      return store.subarray(0, length);
    },
    keep(from) {
      if (from === 0) return;
      store = store.subarray(from, length);
      length -= from;
      isOwn = false;
    },
    length: () => length,
  };

  function grow(size: number): void {
    const grown = Buffer.allocUnsafe(size);
    store.copy(grown, 0, 0, length);
    store = grown;
    isOwn = true;
  }
}
