// Says that the limit is reached, and counts down until the request goes on by itself.

import { formatDuration } from "../state/format.ts";
import { nowMs } from "../state/now.ts";
import { stopWaiting, waitEndMs } from "../state/waiting.ts";

export function Countdown() {
  const endMs = waitEndMs.value;
  return (
    <div role="status">
      {endMs !== undefined && (
        <div class="countdown">
          <span>
            The limit of this key is reached. Going on by itself in {/* Not read out every second. */}
            <strong aria-live="off">{formatDuration(endMs - nowMs.value)}</strong>.
          </span>
          <button type="button" onClick={stopWaiting}>
            Stop waiting
          </button>
        </div>
      )}
    </div>
  );
}
