// The settings of a new or an existing webhook.

import { useSignal } from "@preact/signals";
import type { EventWord, IssuedWebhook, Webhook, WebhookPatch } from "../../../client/src/client.ts";
import { WEBHOOK_DESCRIPTION_MAX, WEBHOOK_URL_MAX } from "../../../src/domain/webhooks/webhook-limits.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { ask } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { expandTypes, listTypes, nameWebhook, typeLabels } from "./webhook-words.ts";

export function NewWebhookForm(props: { onClose: () => void; onIssued: (webhook: IssuedWebhook) => void }) {
  const { onClose, onIssued } = props;

  async function submit(fields: FormData): Promise<void> {
    const { url, description, types } = readSettings(fields);
    const body = {
      url,
      ...(description !== "" && { description }),
      ...(types.length > 0 && { types }),
    };
    onIssued(await ask((client) => client.createWebhook(body)));
  }

  return (
    <Dialog title={later().webhooks.add} onClose={onClose}>
      <Form action={later().webhooks.addAction} onSubmit={submit} onCancel={onClose}>
        <WebhookFields />
      </Form>
    </Dialog>
  );
}

export function WebhookSettings({ webhook, onSaved }: { webhook: Webhook; onSaved: () => Promise<void> }) {
  // The initial values of the fields: the webhook is reloaded while the form is open, and only changes made here are sent.
  const before = useSignal(webhook);

  async function submit(fields: FormData, signal: AbortSignal): Promise<string> {
    const changes = findChanges(before.value, fields);
    if (Object.keys(changes).length === 0) return t().form.nothingChanged;
    before.value = await ask((client) => client.updateWebhook(webhook.id, changes, { signal }));
    await onSaved();
    return later().webhooks.changed(nameWebhook(before.value));
  }

  return (
    <Form action={t().form.save} onSubmit={submit}>
      <WebhookFields webhook={before.value} />
    </Form>
  );
}

function findChanges(before: Webhook, fields: FormData): WebhookPatch {
  const { url, description, types } = readSettings(fields);
  const isSame = String(types.toSorted()) === String(expandTypes(before.types).toSorted());
  return {
    ...(url !== before.url && { url }),
    ...(description !== (before.description ?? "") && { description: description || null }),
    ...(!isSame && { types: types.length === 0 ? null : types }),
  };
}

function readSettings(fields: FormData) {
  return {
    url: String(fields.get("url")).trim(),
    description: String(fields.get("description")).trim(),
    types: fields.getAll("types") as EventWord[],
  };
}

function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const chosen = expandTypes(webhook?.types);
  const offered = listTypes().filter(
    (type) => hasSeveralShelters() || !type.startsWith("shelter.") || chosen.includes(type),
  );
  const texts = later().webhooks;
  return (
    <>
      <Field
        label={texts.address}
        name="url"
        type="url"
        required
        maxLength={WEBHOOK_URL_MAX}
        placeholder="https://"
        defaultValue={webhook?.url ?? ""}
        autoFocus={webhook === undefined}
        hint={texts.addressHint}
        missing={texts.enterAddress}
        wrong={texts.enterAddress}
      />
      <Field
        label={texts.description}
        name="description"
        maxLength={WEBHOOK_DESCRIPTION_MAX}
        defaultValue={webhook?.description ?? ""}
        hint={texts.descriptionHint}
      />
      <fieldset class="checks">
        <legend>{texts.events}</legend>
        {offered.map((type) => (
          <label key={type}>
            <input type="checkbox" name="types" value={type} defaultChecked={chosen.includes(type)} />
            {typeLabels()[type]}
          </label>
        ))}
        <small>{texts.typesHint}</small>
      </fieldset>
    </>
  );
}
