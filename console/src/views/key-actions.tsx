// The dialogs that rotate and revoke a key.

import type { ApiKey, IssuedKey } from "../../../client/src/client.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { notify } from "../state/notices.ts";
import { ask, changeSecret, isOwnKey, signOut } from "../state/session.ts";

const GRACE: Array<[seconds: string, text: string]> = [
  ["86400", "for a day"],
  ["3600", "for an hour"],
  ["604800", "for a week"],
  ["0", "not at all"],
];

interface RotateProps {
  apiKey: ApiKey;
  onIssued: (key: IssuedKey) => void;
  onClose: () => void;
}

export function RotateKey({ apiKey, onIssued, onClose }: RotateProps) {
  async function submit(fields: FormData): Promise<undefined> {
    const graceSeconds = Number(fields.get("grace"));
    const isOwn = isOwnKey(apiKey.hint);
    const issued = await ask((client) => client.rotateKey(apiKey.id, { graceSeconds }));
    // First: the old secret may have ended, and a 401 for it would sign out and lose the new one.
    if (isOwn) changeSecret(issued.key);
    onIssued(issued);
    return undefined;
  }

  return (
    <Dialog title={`Rotate ${apiKey.name}`} onClose={onClose}>
      <Form action="Rotate" onSubmit={submit} onCancel={onClose}>
        <p>
          The key gets a new secret and keeps its settings and counts.
          {isOwnKey(apiKey.hint) && " You stay signed in with the new secret."}
        </p>
        <Choice label="The old secret keeps working" name="grace" choices={GRACE} />
      </Form>
    </Dialog>
  );
}

interface RevokeProps {
  apiKey: ApiKey;
  onRevoked: () => Promise<void>;
  onClose: () => void;
}

export function RevokeKey({ apiKey, onRevoked, onClose }: RevokeProps) {
  const isOwn = isOwnKey(apiKey.hint);

  async function revoke(signal: AbortSignal): Promise<void> {
    await ask((client) => client.revokeKey(apiKey.id, { signal }));
    if (isOwn) return signOut("You have revoked the key you were signed in with.");
    notify(`${apiKey.name} is revoked.`);
    await onRevoked();
  }

  return (
    <Confirm
      title={`Revoke ${apiKey.name}?`}
      action="Revoke permanently"
      phrase={isOwn ? apiKey.name : undefined}
      onConfirm={revoke}
      onClose={onClose}
    >
      The next request with this key is refused. This cannot be undone.
      {isOwn && <strong> It is the key you are signed in with: you will be signed out.</strong>}
    </Confirm>
  );
}
