// Circuit breaker: while a server is away, commands fail at once, and probes check whether it is back.

export interface Breaker {
  isOpen(): boolean;
  /** Rejects at once while open. A command that fails opens it. */
  run<T>(command: () => Promise<T>): Promise<T>;
  /** Closes the breaker if the server can be used, and opens it otherwise. One probe runs at a time. */
  probe(): Promise<void>;
}

interface BreakerOptions {
  /** Whether a probe must succeed before the first command. */
  isOpen: boolean;
  /** Resolves when the server can be used. */
  probe: () => Promise<void>;
  onChange: (isOpen: boolean, error?: unknown) => void;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { onChange } = options;
  let { isOpen } = options;
  let changes = 0;
  let probing: Promise<void> | undefined;

  function set(next: boolean, error?: unknown): void {
    if (isOpen === next) return;
    isOpen = next;
    changes += 1;
    onChange(next, error);
  }

  return {
    isOpen: () => isOpen,

    async run(command) {
      if (isOpen) throw new Error("Redis is away");
      const changesBefore = changes;
      try {
        return await command();
      } catch (error) {
        // A command sent before an outage that is over says nothing about the present state.
        if (changes === changesBefore) set(true, error);
        throw error;
      }
    },

    probe() {
      probing ??= options
        .probe()
        .then(
          () => set(false),
          (error) => set(true, error),
        )
        .finally(() => {
          probing = undefined;
        });
      return probing;
    },
  };
}
