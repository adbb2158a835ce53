// What can be done with a webhook: a test, turning it off and on, rotation and deletion.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { IssuedWebhook, Webhook, WebhookTest } from "../../../client/src/client.ts";
import { ATTEMPT_MS } from "../../../src/domain/webhooks/attempt-timeouts.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice } from "../shared/parts/field.tsx";
import { focusFirst } from "../shared/parts/focus.ts";
import { Form } from "../shared/parts/form.tsx";
import { notify } from "../shared/state/notices.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { describeTest, isArrived, nameWebhook } from "./webhook-words.ts";

/** Longer than the service waits for the receiver. */
const TEST_TIMEOUT_MS = ATTEMPT_MS + 5_000;

export function TestForm({ webhook }: { webhook: Webhook }) {
  const result = useSignal<WebhookTest | undefined>(undefined);
  return (
    <Form
      action={later().webhooks.sendTest}
      onSubmit={async (_, signal) => {
        result.value = undefined;
        result.value = await ask((client) =>
          client.testWebhook(webhook.id, { signal, timeoutMs: TEST_TIMEOUT_MS }),
        );
        const words = describeTest(result.value);
        if (!isArrived(result.value)) throw new Error(words);
        return words;
      }}
    >
      {result.value?.response && (
        <details>
          <summary>{later().webhooks.response}</summary>
          <pre>{result.value.response}</pre>
        </details>
      )}
    </Form>
  );
}

interface SwitchProps {
  webhook: Webhook;
  onSaved: () => Promise<void>;
}

/** Turns the webhook off or on. */
export function WebhookSwitch({ webhook, onSaved }: SwitchProps) {
  const section = useRef<HTMLElement>(null);
  const isOwnChange = useRef(false);
  const { status } = webhook;
  // The form that had the focus is gone.
  useLayoutEffect(() => {
    if (isOwnChange.current && section.current) focusFirst(section.current);
    isOwnChange.current = false;
  }, [status]);
  return (
    <section aria-labelledby="switch" ref={section}>
      <h2 id="switch">{status === "enabled" ? later().webhooks.turnOff : later().webhooks.turnOn}</h2>
      <StatusForm
        key={status}
        webhook={webhook}
        onSaved={() => {
          isOwnChange.current = true;
          return onSaved();
        }}
      />
    </section>
  );
}

function StatusForm({ webhook, onSaved }: SwitchProps) {
  const isEnabled = webhook.status === "enabled";
  const texts = later().webhooks;

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const status = isEnabled ? ("disabled" as const) : ("enabled" as const);
    const patch = { status, ...(fields.get("resume") === "now" && { after: "now" as const }) };
    await ask((client) => client.updateWebhook(webhook.id, patch, { signal }));
    notify((isEnabled ? texts.turnedOff : texts.turnedOn)(nameWebhook(webhook)));
    await onSaved();
  }

  return (
    <Form action={isEnabled ? texts.turnOff : texts.turnOn} isDangerous={isEnabled} onSubmit={submit}>
      {isEnabled ? (
        <p>{texts.turnOffHint}</p>
      ) : (
        <Choice label={t().common.send} name="resume" choices={Object.entries(texts.resume)} />
      )}
    </Form>
  );
}

interface RotateProps {
  webhook: Webhook;
  onIssued: (webhook: IssuedWebhook) => void;
  onClose: () => void;
}

export function RotateWebhook({ webhook, onIssued, onClose }: RotateProps) {
  const texts = later().webhooks;
  return (
    <Dialog title={t().common.rotateTitle(nameWebhook(webhook))} onClose={onClose}>
      <Form
        action={t().common.rotate}
        onCancel={onClose}
        onSubmit={async () => {
          onIssued(await ask((client) => client.rotateWebhook(webhook.id)));
        }}
      >
        <p>{texts.rotateHint}</p>
      </Form>
    </Dialog>
  );
}

interface DeleteProps {
  webhook: Webhook;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteWebhook({ webhook, onDeleted, onClose }: DeleteProps) {
  const name = nameWebhook(webhook);
  const texts = later().webhooks;
  return (
    <Confirm
      title={texts.deleteTitle(name)}
      action={texts.deletePermanently}
      keepLabel={texts.keepIt}
      onClose={onClose}
      onConfirm={async (signal) => {
        await ask((client) => client.deleteWebhook(webhook.id, { signal }));
        notify(texts.deleted(name));
        onDeleted();
      }}
    >
      {texts.deleteHint}
    </Confirm>
  );
}
