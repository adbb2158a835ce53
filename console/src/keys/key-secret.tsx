// The secret of a new or rotated key.

import type { IssuedKey } from "../../../client/src/client.ts";
import { SecretDialog } from "../shared/parts/secret-dialog.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { t } from "../shared/texts/language.ts";

export function KeySecret({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const { name, key, oldEndsAt } = issued;
  return (
    <SecretDialog name={name} secret={key} onClose={onClose}>
      {t().keys.storeSecret}
      {oldEndsAt !== undefined && ` ${t().keys.oldSecretUntil(formatMoment(new Date(oldEndsAt)))}`}
    </SecretDialog>
  );
}
