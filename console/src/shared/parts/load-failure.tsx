// Why a view could not be loaded, with a button to try again.

import type { Loaded } from "../state/loading.ts";
import { t } from "../texts/language.ts";

/** Nothing while there is no failure. */
export function LoadFailure({ loaded: { failure, reload } }: { loaded: Loaded<unknown> }) {
  if (failure.value === undefined) return null;
  return (
    <div role="alert" class="failure">
      <p>{failure.value}</p>
      <button type="button" onClick={() => void reload()}>
        {t().common.tryAgain}
      </button>
    </div>
  );
}
