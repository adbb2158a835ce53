// Why a view could not be loaded, with a button to try again.

import type { Loaded } from "../state/loading.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";

interface LoadFailureProps {
  loaded: Loaded<unknown>;
  className?: string;
}

export function LoadFailure({ loaded, className = "failure" }: LoadFailureProps) {
  const { failure, reload } = loaded;
  if (failure.value === undefined) return null;
  return (
    <div role="alert" class={className}>
      <p>{failure.value}</p>
      <Button label={t().common.tryAgain} onClick={reload} />
    </div>
  );
}
