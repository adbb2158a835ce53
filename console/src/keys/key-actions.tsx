// The dialogs that rotate and revoke a key, and the secret of a new or rotated one.

import type { ApiKey, IssuedKey } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { SecretDialog } from "../shared/parts/secret-dialog.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { notify } from "../shared/state/notices.ts";
import { ask, changeSecret, dropSession, isOwnKey } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

const GRACE = [86_400, 3600, 604_800, 0] as const;

interface RotateProps {
  apiKey: ApiKey;
  onIssued: (key: IssuedKey) => void;
  onClose: () => void;
}

export function RotateKey({ apiKey, onIssued, onClose }: RotateProps) {
  async function submit(fields: FormData): Promise<void> {
    const graceSeconds = Number(fields.get("grace"));
    const isOwn = isOwnKey(apiKey.hint);
    const issued = await ask((client) => client.rotateKey(apiKey.id, { graceSeconds }));
    // First: the old secret may have ended, and a 401 for it would sign out and lose the new one.
    if (isOwn) changeSecret(issued.key);
    onIssued(issued);
  }

  const texts = t().keys;
  const { rotateTitle, rotateHint, oldWorks } = rotateTexts(apiKey);
  return (
    <Dialog title={rotateTitle(apiKey.name)} onClose={onClose}>
      <Form action={t().common.rotate} onSubmit={submit} onCancel={onClose}>
        <p>
          {rotateHint}
          {isOwnKey(apiKey.hint) && ` ${texts.rotateOwnHint}`}
        </p>
        <Choice
          label={oldWorks}
          name="grace"
          choices={GRACE.map((seconds) => [String(seconds), texts.grace[seconds]])}
        />
      </Form>
    </Dialog>
  );
}

/** A publishable key has no secret: a rotation replaces the key itself. */
export function rotateTexts({ kind }: Pick<ApiKey, "kind">) {
  const { publishable } = later();
  if (kind === "publishable") return { ...publishable, oldWorks: publishable.oldKeyWorks };
  const { keys, common } = t();
  return { ...common, rotateHint: keys.rotateHint, oldWorks: keys.oldSecretWorks };
}

interface RevokeProps {
  apiKey: ApiKey;
  onRevoked: () => Promise<void>;
  onClose: () => void;
}

export function RevokeKey({ apiKey, onRevoked, onClose }: RevokeProps) {
  const isOwn = isOwnKey(apiKey.hint);
  const texts = t().keys;

  async function revoke(signal: AbortSignal): Promise<void> {
    await ask((client) => client.revokeKey(apiKey.id, { signal }));
    if (isOwn) return dropSession(texts.ownRevoked);
    notify(texts.revoked(apiKey.name));
    await onRevoked();
  }

  return (
    <Confirm
      title={texts.revokeTitle(apiKey.name)}
      action={texts.revokePermanently}
      keepLabel={texts.keepIt}
      phrase={isOwn ? apiKey.name : undefined}
      onConfirm={revoke}
      onClose={onClose}
    >
      {apiKey.kind === "person" ? later().personKey.revokeHint : texts.revokeHint}
      {isOwn && <strong> {texts.revokeOwnHint}</strong>}
    </Confirm>
  );
}

export function KeySecret({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const { name, key, oldEndsAt } = issued;
  return (
    <SecretDialog name={name} secret={key} onClose={onClose}>
      {t().keys.storeSecret}
      {oldEndsAt !== undefined && ` ${t().keys.oldSecretUntil(formatMoment(oldEndsAt))}`}
    </SecretDialog>
  );
}
