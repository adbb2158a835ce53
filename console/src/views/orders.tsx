// The list of orders, with their moves.

import { useSignal } from "@preact/signals";
import { type Int64, type Order, type OrderStatus, VALUES } from "../../../client/src/client.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Choice } from "../parts/field.tsx";
import { List, Pager, usePaging, useStepBack } from "../parts/list.tsx";
import { useLiveList } from "../parts/live-list.ts";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { loadPetNames, petName } from "../state/pet-names.ts";
import { queryChoice, setFilter } from "../state/place.ts";
import { ask, hasAccess } from "../state/session.ts";
import { OrderForm } from "./order-form.tsx";
import { type Move, OrderRow } from "./order-row.tsx";

const COLUMNS = ["Id", "Animal", "Reference", "Status", "Placed", "Hold ends", "Actions"];
const EVERY = "every";

export function Orders() {
  const status = queryChoice("status", VALUES.OrderStatus);
  const isPlacing = useSignal(false);
  const moving = useSignal<ReadonlySet<Int64>>(new Set());
  const asked = useSignal<{ order: Order; move: Move } | undefined>(undefined);
  const paging = usePaging();

  const loaded = useLiveList(
    async (signal, retries) => {
      const query = { status, cursor: paging.cursor };
      const page = await ask((client) => client.listOrders(query, { signal, retries }).page());
      void loadPetNames(page.items.map(({ petId }) => petId));
      return page;
    },
    [status, paging.cursor],
    { kinds: ["order"], isHeld: () => moving.value.size > 0 },
  );
  const { data, reload } = loaded;

  useStepBack(loaded, paging);

  /** Reloads the list afterwards, also when the service has refused. */
  async function move({ id }: Order, { to, done }: Move, signal?: AbortSignal): Promise<void> {
    moving.value = new Set([...moving.value, id]);
    try {
      await ask((client) => client.updateOrder(id, { status: to }, { signal }));
      notify(`Order ${id} ${done}.`);
    } finally {
      await reload();
      moving.value = new Set([...moving.value].filter((each) => each !== id));
    }
  }

  async function moveAtOnce(order: Order, wanted: Move): Promise<void> {
    try {
      await move(order, wanted);
    } catch (error) {
      notify(explain(error), { isFailure: true });
    }
  }

  return (
    <>
      <div class="head">
        <h1>Orders</h1>
        <button type="button" class="primary" onClick={() => (isPlacing.value = true)}>
          Place an order
        </button>
      </div>
      <div class="tools">
        <Choice
          label="Status"
          choices={[[EVERY, "All"], ...VALUES.OrderStatus]}
          value={status ?? EVERY}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ status: value === EVERY ? undefined : value })
          }
        />
      </div>
      <List
        loaded={loaded}
        label="Orders"
        columns={COLUMNS}
        empty={<NoOrders status={status} onPlace={() => (isPlacing.value = true)} />}
        row={(order) => (
          <OrderRow
            key={String(order.id)}
            order={order}
            isMoving={moving.value.has(order.id)}
            onMove={(wanted) => {
              if (wanted.warning === undefined) void moveAtOnce(order, wanted);
              else asked.value = { order, move: wanted };
            }}
          />
        )}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      {isPlacing.value && (
        <OrderForm
          onClose={() => (isPlacing.value = false)}
          onRefused={reload}
          onDone={() => {
            isPlacing.value = false;
            return reload();
          }}
        />
      )}
      {asked.value !== undefined && (
        <ConfirmMove {...asked.value} onMove={move} onClose={() => (asked.value = undefined)} />
      )}
    </>
  );
}

function ConfirmMove(props: {
  order: Order;
  move: Move;
  onMove: (order: Order, move: Move, signal: AbortSignal) => Promise<void>;
  onClose: () => void;
}) {
  const { order, move, onMove, onClose } = props;
  const name = petName(order.petId) ?? `Animal ${order.petId}`;
  return (
    <Confirm
      title={`${move.label} order ${order.id}?`}
      action={`${move.label} the order`}
      onConfirm={(signal) => onMove(order, move, signal)}
      onClose={onClose}
    >
      {name} {move.warning}
    </Confirm>
  );
}

function NoOrders({ status, onPlace }: { status: OrderStatus | undefined; onPlace: () => void }) {
  if (status !== undefined) return <p>No order is {status}. Choose another status.</p>;
  const whose = hasAccess("manage") ? "There are no orders yet." : "This key has placed no orders yet.";
  return (
    <>
      <p>
        <strong>{whose}</strong>
        <br />
        An order holds an available animal until it is approved and handed over.
      </p>
      <button type="button" class="primary" onClick={onPlace}>
        Place the first order
      </button>
    </>
  );
}
