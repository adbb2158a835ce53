// Runs work on the first call and reuses its result.

/** Work that fails is done again by the next call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    if (made === undefined) {
      const fresh = make();
      made = fresh;
      if (fresh instanceof Promise) fresh.catch(() => (made = undefined));
    }
    return made;
  };
}
