// The orders as a worklist: what waits for staff comes first.

import { useSignal } from "@preact/signals";
import type { ComponentProps } from "preact";
import { type Int64, type Order, type OrderStatus, VALUES } from "../../../client/src/client.ts";
import { SEARCH_LENGTH_MAX } from "../../../src/domain/animals/search-text.ts";
import { Button } from "../shared/parts/button.tsx";
import { Filters } from "../shared/parts/filters.tsx";
import { Head } from "../shared/parts/head.tsx";
import { type Column, List, Pager, usePaging, useStepBack } from "../shared/parts/list.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { SearchBox } from "../shared/parts/search-box.tsx";
import { ShelterFilter } from "../shared/parts/shelter-filter.tsx";
import { findIdentifier } from "../shared/state/identifier.ts";
import { ensureShelters, ownShelterId } from "../shared/state/own-shelter.ts";
import { hasAccess, isAllowed } from "../shared/state/permissions.ts";
import { queryChoice, queryValue, setFilter } from "../shared/state/place.ts";
import { hasTooManyWords } from "../shared/state/search-words.ts";
import { isNarrow } from "../shared/state/viewport.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { AnimalPicker } from "./animal-picker.tsx";
import { type Choice, OrderFilter } from "./order-filter.tsx";
import { OrderForm } from "./order-form.tsx";
import { useOrderMoves } from "./order-moves.tsx";
import { OrderRow, PhoneOrderRow } from "./order-row.tsx";
import { readOrders } from "./read-orders.ts";

const CHOICES: readonly Choice[] = ["all", ...VALUES.OrderStatus];

export function Orders() {
  const petId = queryValue("petId");
  const shelterId = findIdentifier(queryValue("shelter") ?? "");
  const q = (queryValue("q") ?? "").trim();
  const filter = queryChoice("status", CHOICES) ?? (petId === undefined ? "open" : "all");
  const isPlacing = useSignal(false);
  const { loaded, paging, isMoving, move, question } = useOrderList({ filter, petId, shelterId, q });
  const { data, reload } = loaded;
  const texts = t().orders;
  const rowOf = (Row: typeof OrderRow) => (order: Order) => (
    <Row
      key={String(order.id)}
      order={order}
      animal={data.value?.animals.get(String(order.petId))}
      isMoving={isMoving(order)}
      onMove={(to) => move(order, to)}
    />
  );
  return (
    <>
      <Head title={t().placeNames.orders}>
        {isAllowed("createOrder") && (
          <Button kind="primary" label={texts.place} onClick={() => (isPlacing.value = true)} />
        )}
      </Head>
      <OrderTools filter={filter} q={q} petId={petId} shelterId={shelterId} counts={data.value?.counts} />
      {hasTooManyWords(q) && <p class="quiet">{t().animals.firstWords}</p>}
      {data.value?.hasMore && <p class="quiet">{texts.more}</p>}
      <List
        loaded={loaded}
        label={t().placeNames.orders}
        className="orders"
        columns={columns()}
        empty={<NoOrders filter={filter} q={q} onPlace={() => (isPlacing.value = true)} />}
        row={rowOf(OrderRow)}
        phone={{ columns: phoneColumnsOf(), row: rowOf(PhoneOrderRow) }}
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
      {question}
    </>
  );
}

interface OrderQuery {
  filter: Choice | "open";
  q: string;
  petId: string | undefined;
  shelterId: Int64 | undefined;
}

/** A page of the list, and the moves of its orders, during which it does not change. */
function useOrderList({ filter, petId, shelterId, q }: OrderQuery) {
  const { isMoving, isAnyMoving, move, question } = useOrderMoves(() => loaded.reload());
  const paging = usePaging();
  const loaded = useLiveList(
    (signal, retries) => {
      void ensureShelters({ retries }).catch(() => {});
      const pet = petId === undefined ? undefined : findIdentifier(petId);
      return readOrders({ filter, petId: pet, shelterId, q, cursor: paging.cursor }, { signal, retries });
    },
    [filter, petId, shelterId, q, paging.cursor],
    { kinds: ["order", "pet", "shelter"], isHeld: isAnyMoving },
  );
  useStepBack(loaded, paging);
  return { loaded, paging, isMoving, move, question };
}

interface OrderToolsProps extends OrderQuery {
  counts: ComponentProps<typeof OrderFilter>["counts"];
}

function OrderTools({ filter, q, petId, shelterId, counts }: OrderToolsProps) {
  const isNarrowed = q !== "" || petId !== undefined || shelterId !== undefined;
  const isUsual = filter === (petId === undefined ? "open" : "all");
  const statusFilter = (
    <OrderFilter
      chosen={filter}
      // They are counts of all adoptions, whatever narrows the list.
      counts={isNarrowed ? undefined : counts}
      onChoose={(status) => setFilter({ status: status === "open" ? undefined : status, petId: undefined })}
    />
  );
  return (
    <>
      <Filters
        search={
          <SearchBox
            label={later().adoptions.search}
            value={q}
            maxLength={SEARCH_LENGTH_MAX}
            onSearch={(wanted) => setFilter({ q: wanted }, { isReplacing: true })}
          />
        }
        count={[!isUsual, shelterId !== undefined].filter(Boolean).length}
        status={statusFilter}
        onClear={() => setFilter({ status: undefined, shelter: undefined, petId: undefined })}
      >
        {ownShelterId() === undefined && <ShelterFilter chosen={shelterId} />}
      </Filters>
      <div class="tools">
        {!isNarrow.value && statusFilter}
        {petId !== undefined && (
          <Button label={`${t().orders.onlyPet(petId)} ✕`} onClick={() => setFilter({ petId: undefined })} />
        )}
      </div>
    </>
  );
}

function columns(): string[] {
  const { animal, status, holdEnds, reference, placed } = t().orders;
  return [animal, status, holdEnds, reference, placed, t().common.actions];
}

function phoneColumnsOf(): Column[] {
  const { animal, status, holdEnds, reference } = t().orders;
  return phoneColumns({
    photo: t().animals.photo,
    name: animal,
    state: status,
    kind: holdEnds,
    also: reference,
  });
}

interface NoOrdersProps {
  filter: Choice | "open";
  q: string;
  onPlace: () => void;
}

function NoOrders({ filter, q, onPlace }: NoOrdersProps) {
  const texts = t().orders;
  if (q !== "") return <NoneFound isPart={filter !== "all"} q={q} />;
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

function NoneFound({ isPart, q }: { isPart: boolean; q: string }) {
  const texts = later().adoptions;
  return (
    <>
      <p>{texts.noneFound(q)}</p>
      {isPart && <Button label={texts.searchAll} onClick={() => setFilter({ status: "all" })} />}
    </>
  );
}
