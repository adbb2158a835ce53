// The deliveries of a webhook with their results, and a dialog that sends them again.

import { useSignal } from "@preact/signals";
import { type Delivery, type Int64, VALUES } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { findOne } from "../shared/state/find-one.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { notify } from "../shared/state/notices.ts";
import { queryChoice, setFilter } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { DeliveryRow, PhoneDeliveryRow } from "./delivery-row.tsx";
import { cursorBefore } from "./webhook-words.ts";

const EVERY = "every";
const PER_PAGE = 10;

export type DeliveryList = ReturnType<typeof useDeliveries>;

/** The status and the page are in the address. No rows for an id that no webhook has. */
export function useDeliveries(id: string) {
  const status = queryChoice("status", VALUES.DeliveryStatus);
  const paging = usePaging();
  const query = { status, cursor: paging.cursor, limit: PER_PAGE };
  const loaded = useLoaded(
    async (signal) => {
      const options = { signal, retries: 0 };
      const page = await findOne(id, (client, webhookId) =>
        client.listDeliveries(webhookId, query, options).page(),
      );
      return page ?? { items: [], next: undefined };
    },
    [id, query.status, query.cursor],
  );
  useStepBack(loaded, paging);
  return { loaded, paging, status };
}

interface DeliveriesProps {
  webhookId: Int64;
  list: DeliveryList;
  onChanged: () => Promise<void>;
}

export function Deliveries({ webhookId, list: { loaded, paging, status }, onChanged }: DeliveriesProps) {
  const asked = useSignal<Delivery | undefined>(undefined);
  const texts = later().deliveries;
  const rowOf = (Row: typeof DeliveryRow) => (delivery: Delivery) => (
    <Row key={String(delivery.id)} delivery={delivery} onReplay={() => (asked.value = delivery)} />
  );
  const columns = [texts.event, texts.status, texts.result, texts.lastAttempt, texts.nextAttempt];

  return (
    <>
      <div class="tools">
        <Choice
          label={texts.show}
          choices={[[EVERY, t().common.all], ...Object.entries(texts.states)]}
          value={status ?? EVERY}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ status: value === EVERY ? undefined : value })
          }
        />
        <Button label={t().common.reload} onClick={loaded.reload} />
      </div>
      <List
        loaded={loaded}
        label={texts.title}
        className="deliveries"
        columns={[...columns, t().common.actions]}
        empty={<p>{status === undefined ? texts.none : texts.noneOf[status]}</p>}
        row={rowOf(DeliveryRow)}
        phone={{
          columns: phoneColumns({
            name: texts.event,
            state: texts.status,
            kind: texts.result,
            also: texts.lastAttempt,
            actions: t().common.actions,
          }),
          row: rowOf(PhoneDeliveryRow),
        }}
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

interface ReplayProps {
  webhookId: Int64;
  delivery: Delivery;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function ReplayForm({ webhookId, delivery, onDone, onClose }: ReplayProps) {
  const texts = later().deliveries;

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const what =
      fields.get("scope") === "one" ? { deliveryId: delivery.id } : { after: cursorBefore(delivery) };
    await ask((client) => client.replayWebhook(webhookId, what, { signal }));
    notify(texts.willBeSent);
    await onDone();
  }

  return (
    <Dialog title={texts.sendAgainTitle(String(delivery.number))} onClose={onClose}>
      <Form action={texts.sendAgain} onSubmit={submit} onCancel={onClose}>
        <p>{texts.sendAgainHint}</p>
        <Choice label={t().common.send} name="scope" choices={Object.entries(texts.scopes)} />
      </Form>
    </Dialog>
  );
}
