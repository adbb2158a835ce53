// Waits for several promises, whatever happens to some of them.

/** Like Promise.all, but nothing is under way any more when it rejects, and the error is the first in the order of the promises. */
export async function awaitAll<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
