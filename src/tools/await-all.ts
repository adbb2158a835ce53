// Waits until several promises have ended, also if some of them fail.

/** Like Promise.all, but rejects only when all have ended, with the error of the first promise that has failed. */
export async function awaitAll<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
