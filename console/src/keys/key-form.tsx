// The settings of a new or an existing key.

import { type Signal, useSignal } from "@preact/signals";
import {
  type Access,
  type ApiKey,
  type IssuedKey,
  type KeyPatch,
  PLANS,
  type Plan,
} from "../../../client/src/client.ts";
import { KEY_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice, Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { TextArea } from "../shared/parts/text-area.tsx";
import { isAllowed } from "../shared/state/permissions.ts";
import { ask, askUsage, isOwnKey } from "../shared/state/session.ts";
import { hasSeveralShelters, shelterChoices } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { shelterChange } from "./key-shelter.ts";
import { accessChoices, kindChoices, type NEW_KINDS, planChoices } from "./key-words.ts";
import { readOrigins } from "./origins.ts";

const LIMITS = ["perMinute", "perDay"] as const;
const LOCAL_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All origins together may have this many characters, which leaves room for long ones. */
const ORIGINS_TEXT_MAX = 5_000;

interface NewKeyFormProps {
  kind: (typeof NEW_KINDS)[number];
  onClose: () => void;
  onIssued: (key: IssuedKey) => void;
}

export function NewKeyForm({ onClose, onIssued, ...preset }: NewKeyFormProps) {
  const kind = useSignal<string>(preset.kind);
  const isPublishable = kind.value === "publishable";
  const origins = useSignal("");

  async function submit(fields: FormData): Promise<void> {
    const { access, perMinute, perDay, expiresAt, ...settings } = readSettings(fields);
    const { shelterId } = shelterChange({}, fields);
    const optional = {
      ...(isPublishable
        ? { kind: "publishable" as const, allowedOrigins: readOrigins(origins.value) }
        : { access }),
      ...(perMinute !== null && { perMinute }),
      ...(perDay !== null && { perDay }),
      ...(expiresAt !== null && { expiresAt }),
      ...(shelterId && { shelterId }),
    };
    onIssued(await ask((client) => client.createKey({ ...settings, ...optional })));
  }

  return (
    <Dialog title={t().keys.create} onClose={onClose}>
      <Form action={t().keys.createAction} onSubmit={submit} onCancel={onClose}>
        <Choice
          label={later().publishable.kind}
          choices={kindChoices()}
          value={kind.value}
          onChange={(event) => (kind.value = event.currentTarget.value)}
        />
        <KeyFields origins={isPublishable ? origins : undefined} />
      </Form>
    </Dialog>
  );
}

export function KeySettings({ apiKey, onSaved }: { apiKey: ApiKey; onSaved: () => Promise<void> }) {
  // The initial values of the fields: the key is reloaded while the form is open, and only changes made here are sent.
  const before = useSignal(apiKey);
  const origins = useSignal(originsOf(apiKey));
  const isPublishable = apiKey.kind === "publishable";

  async function submit(fields: FormData, signal: AbortSignal): Promise<string> {
    const changes = { ...findChanges(before.value, fields), ...(isPublishable && findNewOrigins()) };
    if (Object.keys(changes).length === 0) return t().form.nothingChanged;
    before.value = await ask((client) => client.updateKey(apiKey.id, changes, { signal }));
    origins.value = originsOf(before.value);
    // The access of one's own key decides what the console offers.
    if (isOwnKey(apiKey.hint)) await askUsage();
    if (isAllowed("getKey")) await onSaved();
    return t().keys.changed(before.value.name);
  }

  function findNewOrigins(): KeyPatch {
    const allowedOrigins = readOrigins(origins.value);
    return allowedOrigins.join("\n") === originsOf(before.value) ? {} : { allowedOrigins };
  }

  return (
    <Form action={t().form.save} onSubmit={submit}>
      <KeyFields apiKey={before.value} origins={isPublishable ? origins : undefined} />
    </Form>
  );
}

function originsOf({ allowedOrigins = [] }: ApiKey): string {
  return allowedOrigins.join("\n");
}

function Origins({ origins }: { origins: Signal<string> }) {
  const texts = later().publishable;
  return (
    <TextArea
      label={texts.origins}
      hint={texts.originsHint}
      maxLength={ORIGINS_TEXT_MAX}
      rows={3}
      value={origins.value}
      onInput={(value) => (origins.value = value)}
    />
  );
}

/** Only changed fields: saving another field must not turn limits of the plan into limits of the key. */
function findChanges(before: ApiKey, fields: FormData): KeyPatch {
  const { name, plan, access, perMinute, perDay, expiresAt } = readSettings(fields);
  const limits = before.plan === "enterprise" ? before : { perMinute: null, perDay: null };
  return {
    ...(name.trim() !== before.name && { name }),
    ...(plan !== before.plan && { plan }),
    ...(before.kind !== "publishable" && access !== before.access && { access }),
    ...shelterChange(before, fields),
    ...(plan === "enterprise" && perMinute !== limits.perMinute && { perMinute }),
    ...(plan === "enterprise" && perDay !== (limits.perDay ?? null) && { perDay }),
    // Compared as the field shows it, without seconds.
    ...(fields.get("expiresAt") !== toLocalInput(before.expiresAt) && { expiresAt }),
  };
}

interface KeyFieldsProps {
  apiKey?: ApiKey;
  /** Only of a publishable key, which has no access level and no limit per day. */
  origins: Signal<string> | undefined;
}

function KeyFields({ apiKey, origins }: KeyFieldsProps) {
  const isPublishable = origins !== undefined;
  const plan = useSignal<string>(apiKey?.plan ?? "free");
  // A select needs its value: Preact ignores `defaultValue`.
  const access = useSignal<string>(apiKey?.access ?? "browse");
  const shelter = useSignal(String(apiKey?.shelterId ?? ""));
  const isOwn = apiKey?.plan === "enterprise";
  const texts = t().keys;
  return (
    <>
      <Field
        label={t().common.name}
        name="name"
        required
        maxLength={KEY_NAME_MAX}
        defaultValue={apiKey?.name ?? ""}
        autoFocus={apiKey === undefined}
        hint={texts.nameHint}
        missing={t().common.enterName}
      />
      {origins && <Origins origins={origins} />}
      <Choice
        label={texts.plan}
        name="plan"
        choices={planChoices(isPublishable)}
        hint={isPublishable ? later().publishable.planHint : undefined}
        value={plan.value}
        onChange={(event) => (plan.value = event.currentTarget.value)}
      />
      {plan.value === "enterprise" && (
        <div class="pair">
          {LIMITS.slice(0, isPublishable ? 1 : 2).map((name) => (
            <Field
              key={name}
              label={texts[name]}
              name={name}
              type="number"
              min={1}
              placeholder={String(PLANS.enterprise[name])}
              defaultValue={isOwn ? String(apiKey[name] ?? "") : ""}
            />
          ))}
        </div>
      )}
      {!isPublishable && (
        <Choice
          label={texts.access}
          name="access"
          choices={accessChoices()}
          value={access.value}
          onChange={(event) => (access.value = event.currentTarget.value)}
        />
      )}
      {(isPublishable || access.value !== "admin") &&
        (hasSeveralShelters() || apiKey?.shelterId !== undefined) && (
          <Choice
            label={t().shelters.one}
            name="shelter"
            choices={[["", t().shelters.network], ...shelterChoices(apiKey?.shelterId)]}
            value={shelter.value}
            onChange={(event) => (shelter.value = event.currentTarget.value)}
            hint={isPublishable ? later().publishable.shelterHint : t().shelters.ofKeyHint}
          />
        )}
      <Field
        label={texts.expires}
        name="expiresAt"
        type="datetime-local"
        defaultValue={toLocalInput(apiKey?.expiresAt)}
        hint={texts.expiresHint(LOCAL_ZONE)}
      />
    </>
  );
}

function readSettings(fields: FormData) {
  const count = (name: string) => (fields.get(name) ? Number(fields.get(name)) : null);
  const expires = String(fields.get("expiresAt"));
  return {
    name: String(fields.get("name")),
    plan: String(fields.get("plan")) as Plan,
    access: String(fields.get("access")) as Access,
    perMinute: count("perMinute"),
    perDay: count("perDay"),
    expiresAt: expires === "" ? null : new Date(expires).toISOString(),
  };
}

/** The format of datetime-local: local time without a zone. */
function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return "";
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
