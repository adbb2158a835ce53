// The page of one key: what it has left and has used, its settings, rotation and revocation.

import { useSignal } from "@preact/signals";
import type { IssuedKey, KeyDetails, KeyUsage, Webhook } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { type Fact, FactList } from "../shared/parts/fact-list.tsx";
import { MissingPage, PageHead } from "../shared/parts/head.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { findOne } from "../shared/state/find-one.ts";
import { capitalise, formatCount, formatMoment } from "../shared/state/format.ts";
import { useLoaded, useReloads } from "../shared/state/loading.ts";
import { notify } from "../shared/state/notices.ts";
import { ensureShelters } from "../shared/state/own-shelter.ts";
import { hrefOf } from "../shared/state/place.ts";
import { isOwnKey } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { DeviceName } from "./device-name.tsx";
import { KeySecret, RevokeKey, RotateKey, rotateTexts } from "./key-actions.tsx";
import { KeySettings } from "./key-form.tsx";
import { KeyUse } from "./key-use.tsx";
import { KeyWebhooks } from "./key-webhooks.tsx";
import { KeyWindows } from "./key-windows.tsx";
import { accessOf, describeLimits, kindOf, shelterOf, stateOf } from "./key-words.ts";
import { OnWebPage } from "./on-web-page.tsx";

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 10_000;
const USE_EVERY_MS = 60_000;

export function Key({ id }: { id: string }) {
  // The page of another key starts anew.
  return <LoadedKey key={id} id={id} />;
}

function LoadedKey({ id }: { id: string }) {
  const loaded = useLoaded(
    (signal) => {
      void ensureShelters().catch(() => {});
      return findOne(id, (client, keyId) => client.getKey(keyId, { signal }));
    },
    [id],
  );
  const used = useLoaded((signal) => readUse(id, signal), [id]);
  const isHeld = useSignal(false);
  // Not during a rotation or revocation: a 401 for the old secret would sign out.
  useReloads(loaded, READ_EVERY_MS, () => isHeld.value);
  useReloads(used, USE_EVERY_MS, () => isHeld.value);
  const key = loaded.data.value;
  if (key === null)
    return (
      <MissingPage place="keys" back={t().keys.allKeys}>
        {t().keys.missing(id)}
      </MissingPage>
    );
  if (key === undefined) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return (
    <Shown
      apiKey={key}
      used={used.data.value ?? undefined}
      failure={<LoadFailure loaded={loaded} />}
      onChanged={loaded.reload}
      // Before it is read again: the next rotation must know whose secret it changes.
      onRotated={({ hint }) => (loaded.data.value = { ...key, hint })}
      onHeld={(held) => (isHeld.value = held)}
    />
  );
}

interface KeyInUse {
  use: KeyUsage;
  /** Undefined if they could not be read: without its key of the secrets, the service has no webhooks. */
  webhooks: Webhook[] | undefined;
}

async function readUse(id: string, signal: AbortSignal): Promise<KeyInUse | null> {
  const use = await findOne(id, (client, keyId) => client.getKeyUsage(keyId, {}, { signal }));
  if (use === null) return null;
  if (use.webhooks === 0) return { use, webhooks: [] };
  const options = { signal, retries: 0 };
  const webhooks = await findOne(id, (client, keyId) => client.listWebhooks({ keyId }, options).page()).then(
    (page) => page?.items,
    () => undefined,
  );
  return { use, webhooks };
}

interface ShownProps {
  apiKey: KeyDetails;
  used: KeyInUse | undefined;
  failure: preact.ComponentChildren;
  onChanged: () => Promise<void>;
  onRotated: (issued: IssuedKey) => void;
  /** While true, nothing is read in the background. */
  onHeld: (isHeld: boolean) => void;
}

function Shown({ apiKey, used, failure, onChanged, onRotated, onHeld }: ShownProps) {
  const opened = useSignal<"rotate" | "revoke" | IssuedKey | undefined>(undefined);
  const texts = t().keys;
  const state = stateOf(apiKey);
  const isRevoked = state === "revoked";
  const isPublishable = apiKey.kind === "publishable";
  const isOfPerson = apiKey.kind === "person";
  const open = (dialog: typeof opened.value) => {
    opened.value = dialog;
    onHeld(dialog !== undefined);
  };
  const close = () => open(undefined);
  /** A publishable key is on this page at any time. */
  function showIssued(issued: IssuedKey): void {
    open(isPublishable ? undefined : issued);
    onRotated(issued);
    if (!isPublishable) return;
    notify(later().publishable.rotated(apiKey.name));
    void onChanged();
  }

  return (
    <>
      <PageHead place="keys" back={texts.allKeys} name={apiKey.name}>
        {!isRevoked && (
          <div class="buttons">
            {!isOfPerson && <Button label={rotateTexts(apiKey).rotateAsk} onClick={() => open("rotate")} />}
            <Button kind="danger" label={texts.revokeAsk} onClick={() => open("revoke")} />
          </div>
        )}
      </PageHead>
      {failure}
      <p>
        <span class={`status ${state}`}>{texts.states[state]}</span> <code>{apiKey.hint}…</code>
        {isOwnKey(apiKey.hint) && <small> {texts.own}</small>}
      </p>
      {isRevoked && !isOfPerson && <p>{texts.revokedHint}</p>}
      {!isRevoked && isOfPerson && <p>{later().personKey.hint}</p>}
      <KeyParts apiKey={apiKey} used={used} onChanged={onChanged} />
      {opened.value === "rotate" && <RotateKey apiKey={apiKey} onIssued={showIssued} onClose={close} />}
      {opened.value === "revoke" && <RevokeKey apiKey={apiKey} onRevoked={onChanged} onClose={close} />}
      {/* Until it is closed nothing is sent: the secret is in this response only and must not be lost. */}
      {typeof opened.value === "object" && (
        <KeySecret
          issued={opened.value}
          onClose={() => {
            close();
            void onChanged();
          }}
        />
      )}
    </>
  );
}

function KeyParts({ apiKey, used, onChanged }: Pick<ShownProps, "apiKey" | "used" | "onChanged">) {
  const isRevoked = stateOf(apiKey) === "revoked";
  const Settings = apiKey.kind === "person" ? DeviceName : KeySettings;
  return (
    <div class="columns">
      <div>
        {!isRevoked && apiKey.key !== undefined && <OnWebPage token={apiKey.key} />}
        {apiKey.state === "active" && <KeyWindows apiKey={apiKey} onChanged={onChanged} />}
        <KeyUse days={used?.use.lastDays} />
      </div>
      <div>
        <section aria-labelledby="facts">
          <h2 id="facts">{t().keys.facts}</h2>
          <FactList facts={factsOf(apiKey, used?.use)} />
          <p>
            <a href={hrefOf("audit", undefined, { by: `key-${apiKey.id}` })}>{later().audit.ofKey}</a>
          </p>
        </section>
        {!isRevoked && (
          <section aria-labelledby="settings">
            <h2 id="settings">{t().common.settings}</h2>
            <Settings apiKey={apiKey} onSaved={onChanged} />
          </section>
        )}
        {/* At the end, because it appears after the rest. */}
        {apiKey.kind !== "publishable" && used?.webhooks !== undefined && (
          <KeyWebhooks webhooks={used.webhooks} />
        )}
      </div>
    </div>
  );
}

function PersonLink({ id, name }: NonNullable<KeyDetails["person"]>) {
  return <a href={hrefOf("people", String(id))}>{name}</a>;
}

function factsOf(apiKey: KeyDetails, use: KeyUsage | undefined): Fact[] {
  const texts = t().keys;
  const { kind, plan, createdAt, expiresAt, lastUsedAt } = apiKey;
  const showsShelter = hasSeveralShelters() || apiKey.shelterId !== undefined;
  const count = (number: number | undefined) => (number === undefined ? "–" : formatCount(number));
  const facts: Fact[] = [
    [later().publishable.kind, kindOf(apiKey)],
    ...(apiKey.person
      ? [[later().personKey.person, <PersonLink key="person" {...apiKey.person} />] satisfies Fact]
      : []),
    [texts.plan, capitalise(plan)],
    [texts.limits, describeLimits(apiKey)],
    [texts.access, accessOf(apiKey)],
    ...(showsShelter ? [[t().shelters.one, shelterOf(apiKey)] satisfies Fact] : []),
    [texts.created, formatMoment(createdAt)],
    [texts.expires, expiresAt === undefined ? t().time.never : formatMoment(expiresAt)],
    [texts.lastUsed, <Moment key="used" at={lastUsedAt} />],
  ];
  // It can neither follow events nor have webhooks.
  if (kind === "publishable") return facts;
  return [...facts, [texts.streams, count(use?.streams)], [t().placeNames.webhooks, count(use?.webhooks)]];
}
