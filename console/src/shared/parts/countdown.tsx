// The reason for a wait, with a countdown until the request is sent again.

import { formatDuration } from "../state/format.ts";
import { nowMs } from "../state/now.ts";
import { lastWait, stopWaiting } from "../state/waiting.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";

export function Countdown() {
  const wait = lastWait.value;
  return (
    <div class="edge" role="status">
      {wait !== undefined && (
        <div class="countdown">
          <span>
            {wait.reason()} {t().waiting.retryingIn} {/* Screen readers must not read it out every second. */}
            <strong aria-live="off">{formatDuration(wait.endMs - nowMs.value)}</strong>.
          </span>
          <Button label={t().waiting.stop} onClick={stopWaiting} />
        </div>
      )}
    </div>
  );
}
