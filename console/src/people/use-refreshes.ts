// Keeps lists of people up to date: the service sends no events about them, and a link is opened at any time.

import { useEffect } from "preact/hooks";
import { isListInUse } from "../shared/parts/in-use.ts";
import type { Loaded } from "../shared/state/loading.ts";
import { hasSpareRequests } from "../shared/state/rate-now.ts";
import { lastWait } from "../shared/state/waiting.ts";

const EVERY_MS = 10_000;

/** In the background, while the page is visible. */
export function useRefreshes({ refresh }: Pick<Loaded<unknown>, "refresh">): void {
  useEffect(() => {
    const timer = setInterval(() => {
      const mayRead = document.visibilityState === "visible" && lastWait.peek() === undefined;
      if (mayRead && hasSpareRequests()) refresh(() => !isListInUse()).catch(() => {});
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
