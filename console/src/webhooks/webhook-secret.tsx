// The dialog that shows the secret of a new or rotated webhook once.

import type { IssuedWebhook } from "../../../client/src/client.ts";
import { SecretDialog } from "../shared/parts/secret-dialog.tsx";
import { later } from "../shared/texts/pages.ts";
import { nameWebhook } from "./webhook-words.ts";

/** Until it is closed, send nothing: the secret is in this response only and must not be lost. */
export function WebhookSecret({ issued, onClose }: { issued: IssuedWebhook; onClose: () => void }) {
  return (
    <SecretDialog name={nameWebhook(issued)} secret={issued.secret} onClose={onClose}>
      {later().webhooks.storeSecret}
    </SecretDialog>
  );
}
