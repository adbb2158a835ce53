// The devices on which a person is signed in. Each can be signed out.

import { useSignal } from "@preact/signals";
import type { ApiKey } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { notify } from "../shared/state/notices.ts";
import { ask, isOwnKey, signOut } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

interface DevicesProps {
  devices: ApiKey[];
  onChanged: () => Promise<void>;
}

export function Devices({ devices, onChanged }: DevicesProps) {
  const left = useSignal<ApiKey | undefined>(undefined);
  const texts = later().people;
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">{texts.devices}</h2>
      {devices.length === 0 && <p class="quiet">{texts.noDevices}</p>}
      <ul class="devices">
        {devices.map((device) => (
          <li key={String(device.id)}>
            <div>
              <bdi>{device.name}</bdi>
              {isOwnKey(device.hint) && <small> {texts.thisDevice}</small>}
              <br />
              <small>
                {texts.lastSeen}: <Moment at={device.lastUsedAt} />
              </small>
            </div>
            <Button
              label={t().frame.signOut}
              name={texts.signOutOne(device.name)}
              onClick={() => (left.value = device)}
            />
          </li>
        ))}
      </ul>
      {left.value && (
        <SignOutDevice device={left.value} onDone={onChanged} onClose={() => (left.value = undefined)} />
      )}
    </section>
  );
}

interface SignOutProps {
  device: ApiKey;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function SignOutDevice({ device: { id, name, hint }, onDone, onClose }: SignOutProps) {
  const texts = later().people;
  const isOwn = isOwnKey(hint);

  async function leave(signal: AbortSignal): Promise<void> {
    if (isOwn) return signOut();
    await ask((client) => client.revokeKey(id, { signal }));
    notify(texts.deviceSignedOut(name));
    await onDone();
  }

  return (
    <Confirm
      title={texts.signOutTitle(name)}
      action={t().frame.signOut}
      keepLabel={texts.keepDevice}
      onConfirm={leave}
      onClose={onClose}
    >
      {isOwn ? texts.signOutOwnHint : texts.signOutHint}
    </Confirm>
  );
}
