// The admission of a request as headers.

import { type Admission, bindingWindow, secondsUntil, unixSeconds, WINDOW_MS } from "../domain/limits.ts";
import type { Headers } from "./common-headers.ts";

export function rateHeaders(admission: Admission): Headers {
  const { windows, nowMs } = admission;
  const binding = bindingWindow(admission);
  return {
    "x-ratelimit-limit": binding.limit,
    "x-ratelimit-remaining": binding.remaining,
    "x-ratelimit-reset": unixSeconds(binding.resetMs),
    "ratelimit-policy": windows
      .map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_MS[name] / 1000}`)
      .join(", "),
    ratelimit: windows
      .map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${secondsUntil(resetMs, nowMs)}`)
      .join(", "),
  };
}
