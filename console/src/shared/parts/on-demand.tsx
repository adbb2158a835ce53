// A view whose code is loaded when it is first shown.

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { loadPart } from "../state/load-part.ts";
import { useLoaded } from "../state/loading.ts";
import { t } from "../texts/language.ts";
import { LoadFailure } from "./load-failure.tsx";

/**
 * @example
 * const Audit = onDemand(async () => (await import("./lazy-views.ts")).Audit);
 */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let View: ComponentType<Props> | undefined;

  function Loading(props: Props) {
    const loaded = useLoaded(async () => {
      View = await loadPart(load);
      return true;
    }, []);
    if (loaded.data.value && View !== undefined) return <View {...props} />;
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }

  return (props: Props) => {
    // Later it is shown at once. Decided once: exchanging the elements would reset a view that is in use.
    const [Ready] = useState(() => View);
    return Ready === undefined ? <Loading {...props} /> : <Ready {...props} />;
  };
}
