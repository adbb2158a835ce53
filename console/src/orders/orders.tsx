// The orders as a worklist: what waits for staff comes first.

import { type Signal, useSignal } from "@preact/signals";
import { type Int64, type Order, type OrderStatus, VALUES } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { ShelterFilter } from "../shared/parts/shelter-filter.tsx";
import { explain } from "../shared/state/failures.ts";
import { findIdentifier } from "../shared/state/identifier.ts";
import { notify } from "../shared/state/notices.ts";
import { ensureShelters, ownShelterId } from "../shared/state/own-shelter.ts";
import { queryChoice, queryValue, setFilter } from "../shared/state/place.ts";
import { ask, hasAccess, isAllowed } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { AnimalPicker } from "./animal-picker.tsx";
import { type Choice, OrderFilter } from "./order-filter.tsx";
import { OrderForm } from "./order-form.tsx";
import { type Move, OrderRow } from "./order-row.tsx";
import { readOrders } from "./read-orders.ts";

const CHOICES: readonly Choice[] = ["all", ...VALUES.OrderStatus];

export function Orders() {
  const petId = queryValue("petId");
  const shelterId = findIdentifier(queryValue("shelter") ?? "");
  const filter = queryChoice("status", CHOICES) ?? (petId === undefined ? "open" : "all");
  const isPlacing = useSignal(false);
  const moving = useSignal<ReadonlySet<Int64>>(new Set());
  const asked = useSignal<{ order: Order; move: Move } | undefined>(undefined);
  const paging = usePaging();

  const loaded = useLiveList(
    (signal, retries) => {
      void ensureShelters({ retries }).catch(() => {});
      const pet = petId === undefined ? undefined : findIdentifier(petId);
      return readOrders({ filter, petId: pet, shelterId, cursor: paging.cursor }, { signal, retries });
    },
    [filter, petId, shelterId, paging.cursor],
    { kinds: ["order", "pet", "shelter"], isHeld: () => moving.value.size > 0 },
  );
  const { data, reload } = loaded;

  useStepBack(loaded, paging);
  const { move, moveAtOnce } = createMoves(moving, reload);
  const texts = t().orders;
  return (
    <>
      <Head title={t().placeNames.orders}>
        {isAllowed("createOrder") && (
          <Button kind="primary" label={texts.place} onClick={() => (isPlacing.value = true)} />
        )}
      </Head>
      <div class="tools">
        <OrderFilter
          chosen={filter}
          // They are counts of all shelters.
          counts={shelterId === undefined ? data.value?.counts : undefined}
          onChoose={(status) =>
            setFilter({ status: status === "open" ? undefined : status, petId: undefined })
          }
        />
        {ownShelterId() === undefined && <ShelterFilter chosen={shelterId} />}
        {petId !== undefined && (
          <Button label={`${texts.onlyPet(petId)} ✕`} onClick={() => setFilter({ petId: undefined })} />
        )}
      </div>
      {data.value?.hasMore && <p class="quiet">{texts.more}</p>}
      <List
        loaded={loaded}
        label={t().placeNames.orders}
        className="orders"
        columns={[
          texts.animal,
          texts.status,
          texts.reference,
          texts.placed,
          texts.holdEnds,
          t().common.actions,
        ]}
        empty={<NoOrders filter={filter} onPlace={() => (isPlacing.value = true)} />}
        row={(order) => (
          <OrderRow
            key={String(order.id)}
            order={order}
            cover={data.value?.covers.get(String(order.petId))}
            isMoving={moving.value.has(order.id)}
            onMove={(chosen) => {
              // The only move that can be taken back.
              if (chosen === "approved") void moveAtOnce(order, chosen);
              else asked.value = { order, move: chosen };
            }}
          />
        )}
      />
      {filter !== "open" && (
        <Pager paging={paging} next={data.value?.next} isLoading={loaded.isLoading.value} />
      )}
      {isPlacing.value && (
        <OrderForm
          Picker={AnimalPicker}
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

/** `moving` are the orders with a running request. */
function createMoves(moving: Signal<ReadonlySet<Int64>>, reload: () => Promise<void>) {
  /** Reloads the list afterwards, also when the service has refused. */
  async function move(order: Order, to: Move, signal?: AbortSignal): Promise<void> {
    moving.value = new Set([...moving.value, order.id]);
    try {
      await ask((client) => client.updateOrder(order.id, { status: to }, { signal }));
      notify(t().orders.moved[to](String(order.id), order.pet ? <PetLink pet={order.pet} /> : nameOf(order)));
    } finally {
      await reload();
      moving.value = new Set([...moving.value].filter((each) => each !== order.id));
    }
  }

  async function moveAtOnce(order: Order, chosen: Move): Promise<void> {
    try {
      await move(order, chosen);
    } catch (error) {
      notify(explain(error), { isFailure: true });
    }
  }

  return { move, moveAtOnce };
}

/** An animal that was deleted has only its number. */
function nameOf({ pet, petId }: Order): string {
  return pet?.name ?? t().orders.deletedPet(String(petId));
}

interface ConfirmMoveProps {
  order: Order;
  move: Move;
  onMove: (order: Order, move: Move, signal: AbortSignal) => Promise<void>;
  onClose: () => void;
}

function ConfirmMove({ order, move, onMove, onClose }: ConfirmMoveProps) {
  const { title, action, keep, warning } = t().orders.confirm[move as "cancelled"];
  return (
    <Confirm
      title={title(String(order.id))}
      action={action}
      keepLabel={keep}
      isDangerous={move === "cancelled"}
      onConfirm={(signal) => onMove(order, move, signal)}
      onClose={onClose}
    >
      {warning(nameOf(order))}
    </Confirm>
  );
}

function NoOrders({ filter, onPlace }: { filter: Choice | "open"; onPlace: () => void }) {
  const texts = t().orders;
  if (filter !== "open" && filter !== "all")
    return <p>{texts.noneOf(t().orderStatus[filter as OrderStatus])}</p>;
  return (
    <>
      <p>
        <strong>
          {filter === "open" ? texts.noneOpen : hasAccess("manage") ? texts.none : texts.noneOwn}
        </strong>
        <br />
        {texts.meaning}
      </p>
      {isAllowed("createOrder") && <Button kind="primary" label={texts.place} onClick={onPlace} />}
    </>
  );
}
