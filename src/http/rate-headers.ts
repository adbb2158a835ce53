// The admission of a request as headers.

import { type Admission, bindingWindow, secondsUntil, unixSeconds, WINDOW_MS } from "../domain/limits.ts";
import type { Headers } from "./common-headers.ts";

export function rateHeaders(admission: Admission): Headers {
  const { windows, nowMs } = admission;
  const { limit, remaining, resetMs } = bindingWindow(admission);
  let policies = "";
  let states = "";
  for (const window of windows) {
    const comma = policies === "" ? "" : ", ";
    policies += `${comma}"${window.name}";q=${window.limit};w=${WINDOW_MS[window.name] / 1000}`;
    states += `${comma}"${window.name}";r=${window.remaining};t=${secondsUntil(window.resetMs, nowMs)}`;
  }
  return {
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": unixSeconds(resetMs),
    "ratelimit-policy": policies,
    ratelimit: states,
  };
}
