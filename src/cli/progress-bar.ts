// Progress bar of a long command. It is shown on a terminal only.

const WIDTH = 30;
/** More frequent updates would not be visible. */
const EVERY_MS = 50;

interface ProgressBar {
  show(done: number, total: number, what: string): void;
  /** Call it before other output is printed. */
  end(): void;
}

type Screen = Pick<typeof process.stderr, "isTTY" | "write">;

export function createProgressBar(screen: Screen = process.stderr): ProgressBar {
  let shownMs = -EVERY_MS;
  let isShown = false;
  return {
    show(done, total, what) {
      if (!screen.isTTY) return;
      const nowMs = performance.now();
      if (nowMs - shownMs < EVERY_MS && done < total) return;
      shownMs = nowMs;
      isShown = true;
      const filled = Math.round((Math.min(done, total) / Math.max(1, total)) * WIDTH);
      const bar = `${"#".repeat(filled)}${".".repeat(WIDTH - filled)}`;
      screen.write(`\r[${bar}] ${done} of ${total} ${what}\u001b[K`);
    },
    end() {
      if (isShown) screen.write("\n");
      isShown = false;
    },
  };
}

/** Shows the progress of `work`, and ends the bar before other output is printed. */
export async function withProgressBar<T>(
  work: (show: ProgressBar["show"]) => Promise<T>,
  screen?: Screen,
): Promise<T> {
  const bar = createProgressBar(screen);
  return work(bar.show).finally(bar.end);
}
