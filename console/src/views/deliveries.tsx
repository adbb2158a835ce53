// The deliveries of a webhook with their results, and a dialog that sends them again.

import { useSignal } from "@preact/signals";
import { type Delivery, type DeliveryStatus, type Int64, VALUES } from "../../../client/src/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { List, Pager, useDialogPaging, useStepBack } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { capitalise } from "../state/format.ts";
import { useLoaded } from "../state/loading.ts";
import { notify } from "../state/notices.ts";
import { ask } from "../state/session.ts";
import { cursorBefore, describeResult, TYPE_LABELS } from "./webhook-words.ts";

const COLUMNS = ["Event", "Status", "Result", "Last attempt", "Next attempt", "Actions"];
const EVERY = "every";
const PER_PAGE = 10;

export function Deliveries({ webhookId, onChanged }: { webhookId: Int64; onChanged: () => Promise<void> }) {
  const status = useSignal<DeliveryStatus | undefined>(undefined);
  const asked = useSignal<Delivery | undefined>(undefined);
  const paging = useDialogPaging();
  const query = { status: status.value, cursor: paging.cursor, limit: PER_PAGE };
  const loaded = useLoaded(
    (signal) => ask((client) => client.listDeliveries(webhookId, query, { signal }).page()),
    [query.status, query.cursor],
  );

  useStepBack(loaded, paging);

  return (
    <>
      <div class="tools">
        <Choice
          label="Show"
          choices={[[EVERY, "All"], ...VALUES.DeliveryStatus]}
          value={status.value ?? EVERY}
          onChange={({ currentTarget: { value } }) => {
            paging.restart();
            status.value = value === EVERY ? undefined : (value as DeliveryStatus);
          }}
        />
        <button type="button" onClick={() => void loaded.reload()}>
          Reload
        </button>
      </div>
      <List
        loaded={loaded}
        label="Deliveries"
        columns={COLUMNS}
        empty={
          <p>
            {status.value === undefined
              ? "Nothing was sent in the last 30 days."
              : `None is ${status.value}.`}
          </p>
        }
        row={(delivery) => (
          <DeliveryRow
            key={String(delivery.id)}
            delivery={delivery}
            onReplay={() => (asked.value = delivery)}
          />
        )}
      />
      <Pager paging={paging} next={loaded.data.value?.next} isLoading={loaded.isLoading.value} />
      {asked.value !== undefined && (
        <ReplayForm
          webhookId={webhookId}
          delivery={asked.value}
          onClose={() => (asked.value = undefined)}
          onDone={async () => {
            asked.value = undefined;
            await Promise.all([loaded.reload(), onChanged()]);
          }}
        />
      )}
    </>
  );
}

function DeliveryRow({ delivery, onReplay }: { delivery: Delivery; onReplay: () => void }) {
  const { number, type, status, lastAttemptAt, nextAttemptAt } = delivery;
  return (
    <tr>
      <th scope="row">
        {TYPE_LABELS[type]} <span class="quiet">no. {String(number)}</span>
      </th>
      <td>
        <span class={`status ${status}`}>{capitalise(status)}</span>
      </td>
      <td class="beside">{describeResult(delivery)}</td>
      <td data-label="Last attempt">
        <Moment at={lastAttemptAt} />
      </td>
      <td data-label="Next attempt">
        <Moment at={nextAttemptAt} never="–" />
      </td>
      <td class="actions">
        <button type="button" aria-label={`Send again: no. ${number}`} onClick={onReplay}>
          Send again
        </button>
      </td>
    </tr>
  );
}

const SCOPES: Array<[value: string, text: string]> = [
  ["one", "only this event"],
  ["later", "this event and all later ones"],
];

interface ReplayProps {
  webhookId: Int64;
  delivery: Delivery;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function ReplayForm({ webhookId, delivery, onDone, onClose }: ReplayProps) {
  async function submit(fields: FormData, signal: AbortSignal): Promise<undefined> {
    const what =
      fields.get("scope") === "one" ? { deliveryId: delivery.id } : { after: cursorBefore(delivery) };
    await ask((client) => client.replayWebhook(webhookId, what, { signal }));
    notify("It will be sent again shortly.");
    await onDone();
    return undefined;
  }

  return (
    <Dialog title={`Send no. ${delivery.number} again`} onClose={onClose}>
      <Form action="Send again" onSubmit={submit} onCancel={onClose}>
        <p>
          The receiver gets the same event ids as before. A turned-off webhook sends it when it is on again.
        </p>
        <Choice label="Send" name="scope" choices={SCOPES} />
      </Form>
    </Dialog>
  );
}
