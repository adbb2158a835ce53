// The dialog of one webhook: its state, a test, deliveries, settings, rotation and deletion.

import { useSignal } from "@preact/signals";
import type { Int64, IssuedWebhook, Webhook, WebhookTest } from "../../../client/src/client.ts";
import { ATTEMPT_MS } from "../../../src/domain/webhooks/webhook-limits.ts";
import { Button } from "../shared/parts/button.tsx";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { formatCount } from "../shared/state/format.ts";
import { useLoaded, useReloads } from "../shared/state/loading.ts";
import { notify } from "../shared/state/notices.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { Deliveries, useDeliveries } from "./deliveries.tsx";
import { WebhookSettings } from "./webhook-form.tsx";
import { describeTest, isArrived, nameWebhook } from "./webhook-words.ts";

/** Not shorter: each read is charged to the signed-in key. */
const READ_EVERY_MS = 10_000;
/** Longer than the service waits for the receiver. */
const TEST_TIMEOUT_MS = ATTEMPT_MS + 5_000;

interface WebhookDetailsProps {
  webhookId: Int64;
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
  const deliveries = useDeliveries(webhookId);
  const asked = useSignal<"rotate" | "delete" | undefined>(undefined);
  useReloads(loaded, READ_EVERY_MS, () => asked.value !== undefined);
  const closeAsked = () => (asked.value = undefined);
  const reloadAll = async () => {
    await Promise.all([reload(), onChanged()]);
  };
  const webhook = data.value;
  const texts = t().webhooks;
  // All at once: rows that appear later would move a button away from the pointer.
  const { data: rows, failure: noRows } = deliveries.loaded;
  const isComplete = rows.value !== undefined || noRows.value !== undefined;
  if (webhook === undefined || !isComplete) {
    return (
      <Dialog title={texts.one} isWide onClose={onClose}>
        {failure.value === undefined ? <p>{t().common.loading}</p> : <LoadFailure loaded={loaded} />}
      </Dialog>
    );
  }
  return (
    <Dialog title={<bdi>{nameWebhook(webhook)}</bdi>} isWide onClose={onClose}>
      <LoadFailure loaded={loaded} />
      <WebhookState webhook={webhook} />
      <section aria-label={texts.test}>
        <TestForm webhook={webhook} />
      </section>
      <section aria-label={t().deliveries.title}>
        <h3>{t().deliveries.title}</h3>
        <Deliveries webhookId={webhookId} list={deliveries} onChanged={reloadAll} />
      </section>
      <section aria-label={texts.turnOnOrOff}>
        <h3>{webhook.status === "enabled" ? texts.turnOff : texts.turnOn}</h3>
        <StatusForm key={webhook.status} webhook={webhook} onSaved={reloadAll} />
      </section>
      <section aria-label={t().common.settings}>
        <h3>{t().common.settings}</h3>
        <WebhookSettings webhook={webhook} onSaved={reloadAll} />
      </section>
      <section aria-label={texts.rotateOrDelete}>
        <h3>{texts.rotateOrDelete}</h3>
        <div class="buttons">
          <Button label={t().common.rotateAsk} onClick={() => (asked.value = "rotate")} />
          <Button kind="danger" label={texts.deleteAsk} onClick={() => (asked.value = "delete")} />
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
  const texts = t().webhooks;
  return (
    <>
      <p>
        <code>{url}</code> <span class={`status ${status}`}>{texts.states[status]}</span>
      </p>
      {disabledReason !== undefined && <p>{texts.offBecause[disabledReason] ?? disabledReason}</p>}
      {status === "enabled" && failingSince !== undefined && (
        <p class="countdown">{texts.failingSince(<Moment at={failingSince} />)}</p>
      )}
      <p>
        {texts.lastSuccessAt(<Moment at={lastSuccessAt} />)} {texts.waitingToBeSent(formatCount(pending))}
      </p>
    </>
  );
}

function TestForm({ webhook }: { webhook: Webhook }) {
  const result = useSignal<WebhookTest | undefined>(undefined);
  return (
    <Form
      action={t().webhooks.sendTest}
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
          <summary>{t().webhooks.response}</summary>
          <pre>{result.value.response}</pre>
        </details>
      )}
    </Form>
  );
}

function StatusForm({ webhook, onSaved }: { webhook: Webhook; onSaved: () => Promise<void> }) {
  const isEnabled = webhook.status === "enabled";
  const texts = t().webhooks;

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

function RotateWebhook({ webhook, onIssued, onClose }: RotateProps) {
  const texts = t().webhooks;
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
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

function DeleteWebhook({ webhook, onDeleted, onClose }: DeleteProps) {
  const name = nameWebhook(webhook);
  const texts = t().webhooks;
  return (
    <Confirm
      title={texts.deleteTitle(name)}
      action={texts.deletePermanently}
      keepLabel={texts.keepIt}
      onClose={onClose}
      onConfirm={async (signal) => {
        await ask((client) => client.deleteWebhook(webhook.id, { signal }));
        notify(texts.deleted(name));
        await onDeleted();
      }}
    >
      {texts.deleteHint}
    </Confirm>
  );
}
