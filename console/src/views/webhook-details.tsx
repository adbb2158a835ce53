// The dialog of one webhook: its state, a test, deliveries, settings, rotation and deletion.

import { useSignal } from "@preact/signals";
import type { Int64, IssuedWebhook, Webhook, WebhookTest } from "../../../client/src/client.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { LoadFailure } from "../parts/load-failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { capitalise, formatCount } from "../state/format.ts";
import { useLoaded, useRepeated } from "../state/loading.ts";
import { notify } from "../state/notices.ts";
import { ask } from "../state/session.ts";
import { Deliveries } from "./deliveries.tsx";
import { WebhookSettings } from "./webhook-form.tsx";
import { DISABLED_LABELS, describeTest, nameWebhook } from "./webhook-words.ts";

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 10_000;
/** The service waits 15 seconds for the receiver. */
const TEST_TIMEOUT_MS = 20_000;

interface WebhookDetailsProps {
  webhookId: Int64;
  /** Reloads the list behind the dialog. */
  onChanged: () => Promise<void>;
  onIssued: (webhook: IssuedWebhook) => void;
  onClose: () => void;
}

export function WebhookDetails({ webhookId, onChanged, onIssued, onClose }: WebhookDetailsProps) {
  const loaded = useLoaded(
    (signal) => ask((client) => client.getWebhook(webhookId, { signal })),
    [webhookId],
  );
  const { data, failure, reload } = loaded;
  const asked = useSignal<"rotate" | "delete" | undefined>(undefined);
  useRepeated(() => {
    if (asked.value === undefined) void reload();
  }, READ_EVERY_MS);
  const closeAsked = () => (asked.value = undefined);
  const reloadAll = async () => {
    await Promise.all([reload(), onChanged()]);
  };
  const webhook = data.value;
  if (webhook === undefined) {
    return (
      <Dialog title="Webhook" isWide onClose={onClose}>
        {failure.value === undefined ? <p>Loading…</p> : <LoadFailure loaded={loaded} />}
      </Dialog>
    );
  }
  return (
    <Dialog title={nameWebhook(webhook)} isWide onClose={onClose}>
      <LoadFailure loaded={loaded} />
      <WebhookState webhook={webhook} />
      <section aria-label="Test">
        <TestForm webhook={webhook} />
      </section>
      <section aria-label="Deliveries">
        <h3>Deliveries</h3>
        <Deliveries webhookId={webhookId} onChanged={reloadAll} />
      </section>
      <section aria-label="Turn on or off">
        <h3>{webhook.status === "enabled" ? "Turn off" : "Turn on"}</h3>
        <StatusForm key={webhook.status} webhook={webhook} onSaved={reloadAll} />
      </section>
      <section aria-label="Settings">
        <h3>Settings</h3>
        <WebhookSettings webhook={webhook} onSaved={reloadAll} />
      </section>
      <section aria-label="Rotate or delete">
        <h3>Rotate or delete</h3>
        <div class="buttons">
          <button type="button" onClick={() => (asked.value = "rotate")}>
            Rotate…
          </button>
          <button type="button" class="danger" onClick={() => (asked.value = "delete")}>
            Delete…
          </button>
        </div>
      </section>
      {asked.value === "rotate" && (
        <RotateWebhook webhook={webhook} onIssued={onIssued} onClose={closeAsked} />
      )}
      {asked.value === "delete" && (
        <DeleteWebhook
          webhook={webhook}
          onClose={closeAsked}
          onDeleted={() => {
            onClose();
            return onChanged();
          }}
        />
      )}
    </Dialog>
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { url, status, disabledReason, failingSince, pending, lastSuccessAt } = webhook;
  return (
    <>
      <p>
        <code>{url}</code> <span class={`status ${status}`}>{capitalise(status)}</span>
      </p>
      {disabledReason !== undefined && (
        <p>It is turned off because {DISABLED_LABELS[disabledReason] ?? disabledReason}.</p>
      )}
      {status === "enabled" && failingSince !== undefined && (
        <p class="countdown">
          <span>
            Requests have been failing since <Moment at={failingSince} />. It is turned off after five days of
            failures.
          </span>
        </p>
      )}
      <p>
        Last success: <Moment at={lastSuccessAt} />. Waiting to be sent: {formatCount(pending)}.
      </p>
    </>
  );
}

function TestForm({ webhook }: { webhook: Webhook }) {
  const result = useSignal<WebhookTest | undefined>(undefined);
  return (
    <Form
      action="Send a test"
      onSubmit={async (_, signal) => {
        result.value = undefined;
        result.value = await ask((client) =>
          client.testWebhook(webhook.id, { signal, timeoutMs: TEST_TIMEOUT_MS }),
        );
        return describeTest(result.value);
      }}
    >
      {result.value?.response && (
        <details>
          <summary>The response</summary>
          <pre>{result.value.response}</pre>
        </details>
      )}
    </Form>
  );
}

const RESUME: Array<[value: string, text: string]> = [
  ["continue", "what was missed meanwhile, then new changes"],
  ["now", "new changes only"],
];

function StatusForm({ webhook, onSaved }: { webhook: Webhook; onSaved: () => Promise<void> }) {
  const isEnabled = webhook.status === "enabled";

  async function submit(fields: FormData, signal: AbortSignal): Promise<undefined> {
    const status = isEnabled ? ("disabled" as const) : ("enabled" as const);
    const patch = { status, ...(fields.get("resume") === "now" && { after: "now" as const }) };
    await ask((client) => client.updateWebhook(webhook.id, patch, { signal }));
    notify(`${nameWebhook(webhook)} is turned ${isEnabled ? "off" : "on"}.`);
    await onSaved();
    return undefined;
  }

  return (
    <Form action={isEnabled ? "Turn off" : "Turn on"} onSubmit={submit}>
      {isEnabled ? (
        <p>Nothing is sent until it is turned on again. Changes meanwhile can be sent then.</p>
      ) : (
        <Choice label="Send" name="resume" choices={RESUME} />
      )}
    </Form>
  );
}

interface RotateProps {
  webhook: Webhook;
  onIssued: (webhook: IssuedWebhook) => void;
  onClose: () => void;
}

function RotateWebhook({ webhook, onIssued, onClose }: RotateProps) {
  return (
    <Dialog title={`Rotate ${nameWebhook(webhook)}`} onClose={onClose}>
      <Form
        action="Rotate"
        onCancel={onClose}
        onSubmit={async () => {
          onIssued(await ask((client) => client.rotateWebhook(webhook.id)));
          return undefined;
        }}
      >
        <p>The webhook gets a new secret. For 24 hours, requests are signed with the old one too.</p>
      </Form>
    </Dialog>
  );
}

interface DeleteProps {
  webhook: Webhook;
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

function DeleteWebhook({ webhook, onDeleted, onClose }: DeleteProps) {
  const name = nameWebhook(webhook);
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete permanently"
      onClose={onClose}
      onConfirm={async (signal) => {
        await ask((client) => client.deleteWebhook(webhook.id, { signal }));
        notify(`${name} is deleted.`);
        await onDeleted();
      }}
    >
      Nothing more is sent to it, and its deliveries are deleted. This cannot be undone.
    </Confirm>
  );
}
