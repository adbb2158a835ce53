// The dialog of one key: usage, settings, rotation and revocation.

import { type Signal, useSignal } from "@preact/signals";
import type { Int64, IssuedKey, KeyDetails as Key } from "../../../client/src/client.ts";
import { Bar } from "../parts/bar.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { LoadFailure } from "../parts/load-failure.tsx";
import { explain } from "../state/failures.ts";
import { capitalise, formatClock } from "../state/format.ts";
import { useLoaded, useRepeated } from "../state/loading.ts";
import { ask, isOwnKey } from "../state/session.ts";
import { RevokeKey, RotateKey } from "./key-actions.tsx";
import { KeySettings } from "./key-form.tsx";

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 10_000;

type KeyAction = "rotate" | "revoke" | undefined;

interface KeyDetailsProps {
  keyId: Int64;
  /** Reloads the list behind the dialog. */
  onChanged: () => Promise<void>;
  onIssued: (key: IssuedKey) => void;
  onClose: () => void;
}

export function KeyDetails({ keyId, onChanged, onIssued, onClose }: KeyDetailsProps) {
  const loaded = useLoaded(() => ask((client) => client.getKey(keyId)), [keyId]);
  const { data, failure, reload } = loaded;
  const asked = useSignal<KeyAction>(undefined);
  // Not during a rotation or revocation: a 401 for the old secret would sign out.
  useRepeated(() => {
    if (asked.value === undefined) void reload();
  }, READ_EVERY_MS);
  const key = data.value;
  const reloadAll = async () => {
    await Promise.all([reload(), onChanged()]);
  };
  if (key === undefined) {
    return (
      <Dialog title="Key" onClose={onClose}>
        {failure.value === undefined ? <p>Loading…</p> : <LoadFailure loaded={loaded} />}
      </Dialog>
    );
  }
  return (
    <Dialog title={key.name} onClose={onClose}>
      <LoadFailure loaded={loaded} />
      <p>
        <code>{key.hint}…</code> <span class={`status ${key.state}`}>{capitalise(key.state)}</span>
        {isOwnKey(key.hint) && <small> the key you are signed in with</small>}
      </p>
      {key.state === "active" && <KeyUsage apiKey={key} onChanged={reloadAll} />}
      {key.state === "revoked" ? (
        <p>This key is revoked permanently. Create another one if its owner needs access again.</p>
      ) : (
        <>
          <section aria-label="Settings">
            <h3>Settings</h3>
            <KeySettings apiKey={key} onSaved={reloadAll} />
          </section>
          <KeyActions
            apiKey={key}
            asked={asked}
            onIssued={onIssued}
            onRevoked={() => onChanged().then(onClose)}
          />
        </>
      )}
    </Dialog>
  );
}

function KeyUsage({ apiKey, onChanged }: { apiKey: Key; onChanged: () => Promise<void> }) {
  const { minute, day, ban } = apiKey.usage;
  const success = useSignal("");
  const failure = useSignal("");

  async function unban(): Promise<void> {
    failure.value = "";
    try {
      await ask((client) => client.unbanKey(apiKey.id));
    } catch (error) {
      failure.value = explain(error);
      return;
    }
    await onChanged();
    success.value = `The ban of ${apiKey.name} is lifted.`;
  }

  return (
    <section aria-label="Usage">
      {ban && (
        <div class="countdown">
          <span>
            Banned until {formatClock(new Date(ban.reset * 1000))}, because it kept sending requests after
            reaching its limit.
          </span>
          <button type="button" onClick={() => void unban()}>
            Lift the ban
          </button>
        </div>
      )}
      <p role="alert" class="failure">
        {failure}
      </p>
      <p role="status" class="success">
        {success}
      </p>
      <Bar label="This minute" {...minute} />
      <Bar label="This day" {...day} />
    </section>
  );
}

interface KeyActionsProps {
  apiKey: Key;
  /** The open dialog. */
  asked: Signal<KeyAction>;
  onIssued: (key: IssuedKey) => void;
  onRevoked: () => Promise<void>;
}

function KeyActions({ apiKey, asked, onIssued, onRevoked }: KeyActionsProps) {
  const close = () => (asked.value = undefined);
  return (
    <section aria-label="Rotate or revoke">
      <h3>Rotate or revoke</h3>
      <div class="buttons">
        <button type="button" onClick={() => (asked.value = "rotate")}>
          Rotate…
        </button>
        <button type="button" class="danger" onClick={() => (asked.value = "revoke")}>
          Revoke…
        </button>
      </div>
      {asked.value === "rotate" && <RotateKey apiKey={apiKey} onIssued={onIssued} onClose={close} />}
      {asked.value === "revoke" && <RevokeKey apiKey={apiKey} onRevoked={onRevoked} onClose={close} />}
    </section>
  );
}
