// Runs work on the first call and reuses its result.

/** Work that fails is done again by the next call. */
export function once<T extends object>(make: () => T): () => T {
  let result: T | undefined;
  return () => {
    if (result === undefined) {
      const fresh = make();
      result = fresh;
      if (fresh instanceof Promise) fresh.catch(() => (result = undefined));
    }
    return result;
  };
}
