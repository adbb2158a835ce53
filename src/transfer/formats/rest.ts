// Buffer for the bytes of an incomplete record. It grows in place, so that many small pieces take linear time.

export interface Rest {
  /** Appends and returns all kept bytes. Valid until the next call. */
  append(bytes: Buffer): Buffer;
  /** Drops the bytes before `from`. */
  keep(from: number): void;
  length(): number;
}

export function createRest(): Rest {
  let store: Buffer = Buffer.alloc(0);
  let length = 0;
  /** A buffer of the caller must not be written to. */
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
