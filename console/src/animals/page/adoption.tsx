// The current adoption of an animal as a line of steps, with the one that comes next.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Listing, Order, OrderStatus, PetStatus } from "../../../../client/src/client.ts";
import { OrderForm } from "../../orders/order-form.tsx";
import { isNextStep, type Move, movesOf, useOrderMoves } from "../../orders/order-moves.tsx";
import { Button } from "../../shared/parts/button.tsx";
import { isFocusLost } from "../../shared/parts/focus.ts";
import { useLiveList } from "../../shared/parts/live-list.ts";
import { LoadFailure } from "../../shared/parts/load-failure.tsx";
import { Moment } from "../../shared/parts/moment.tsx";
import { petIdOf } from "../../shared/state/live.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";

const STEPS = ["placed", "approved", "delivered"] as const;

interface AdoptionProps {
  listing: Listing;
  /** Newer than the status of the listing. */
  status: PetStatus;
  onChanged: () => Promise<void>;
}

export function Adoption({ listing, status, onChanged }: AdoptionProps) {
  const { id } = listing;
  // An open order is the newest: nobody can place another one before it ends.
  const query = { petId: id, sort: "newest", limit: 2 } as const;
  const loaded = useLiveList(
    (signal, retries) => ask((client) => client.listOrders(query, { signal, retries }).page()),
    [id],
    { kinds: ["order"], isRelevant: (event) => petIdOf(event) === String(id), isHeld: () => isAnyMoving() },
  );
  const section = useRef<HTMLElement>(null);
  /** After a step that was made here. */
  const isNextAwaited = useRef(false);
  const { isMoving, isAnyMoving, move, question } = useOrderMoves(readAgain);
  const isPlacing = useSignal(false);
  const orders = loaded.data.value?.items ?? [];
  const [newest] = orders;
  const current = newest !== undefined && isCurrent(newest, status) ? newest : undefined;
  const mayPlace = current === undefined && mayChange("createOrder", listing) && status === "available";
  const texts = later().adoption;
  const close = () => (isPlacing.value = false);

  async function readAgain(): Promise<void> {
    isNextAwaited.current = true;
    await Promise.all([loaded.reload(), onChanged()]);
  }

  // Of the animal and its orders, one arrives first. Until the other does, there may be no button that takes the focus.
  useLayoutEffect(() => {
    const next = section.current?.querySelector<HTMLElement>(".buttons button");
    if (!isNextAwaited.current || !next) return;
    isNextAwaited.current = false;
    if (isFocusLost()) next.focus({ preventScroll: true });
  }, [current?.id, current?.status, mayPlace]);

  return (
    <section
      ref={section}
      aria-labelledby="adoption"
      // As high as it will probably be.
      class={loaded.data.value === undefined ? `adoption loading ${status}` : "adoption"}
    >
      <header>
        <h2 id="adoption">{texts.title}</h2>
        {orders.length > (current === undefined ? 0 : 1) && (
          <a href={hrefOf("orders", undefined, { petId: String(id) })}>{later().animal.allOrders}</a>
        )}
      </header>
      <LoadFailure loaded={loaded} />
      {current !== undefined && <Steps order={current} />}
      {loaded.data.value !== undefined && current === undefined && (
        <p class="quiet">
          {status === "available" && newest !== undefined ? t().orders.noneOpen : texts.without[status]}
        </p>
      )}
      {current !== undefined && (
        <Moves
          order={current}
          isMoving={isMoving(current)}
          onMove={(to) => move({ ...current, pet: listing }, to)}
        />
      )}
      {mayPlace && (
        <div class="buttons">
          <Button kind="primary" label={t().orders.place} onClick={() => (isPlacing.value = true)} />
        </div>
      )}
      {question}
      {isPlacing.value && (
        <OrderForm
          pet={listing}
          onClose={close}
          onDone={async () => {
            close();
            await readAgain();
          }}
          onRefused={onChanged}
        />
      )}
    </section>
  );
}

/** Open, or the one by which the animal was adopted. */
function isCurrent({ status }: Order, ofPet: PetStatus): boolean {
  return status === "placed" || status === "approved" || (status === "delivered" && ofPet === "sold");
}

function Steps({ order }: { order: Order }) {
  const { id, status, reference } = order;
  const at = (STEPS as readonly OrderStatus[]).indexOf(status);
  return (
    <>
      <ol class="steps">
        {STEPS.map((step, index) => (
          <li
            key={step}
            class={index <= at ? "done" : undefined}
            aria-current={index === at ? "step" : undefined}
          >
            <span>{t().orderStatus[step]}</span>
            <small>
              <StepTime order={order} step={step} />
            </small>
          </li>
        ))}
      </ol>
      <p class="of-order">
        {t().orders.number(String(id))}
        {reference && (
          <>
            {" · "}
            <bdi>{reference}</bdi>
          </>
        )}
      </p>
    </>
  );
}

interface MovesProps {
  order: Order;
  isMoving: boolean;
  onMove: (to: Move) => void;
}

function Moves({ order, isMoving, onMove }: MovesProps) {
  const { move, moveLabel } = t().orders;
  return (
    <div class="buttons">
      {movesOf(order).map((to) => (
        <Button
          key={to}
          kind={isNextStep(to) ? "primary" : undefined}
          label={move[to]}
          name={moveLabel(move[to], String(order.id))}
          isOff={isMoving}
          onClick={({ detail }) => {
            // The second click of a double-click may hit the button of the next move.
            if (detail <= 1) onMove(to);
          }}
        />
      ))}
    </div>
  );
}

/** When the step was made, as far as the order says so, or how long the hold lasts. */
function StepTime({ order, step }: { order: Order; step: OrderStatus }) {
  const { status, createdAt, updatedAt, expiresAt } = order;
  if (step === "approved" && status === "placed" && expiresAt !== undefined)
    return (
      <>
        {t().orders.holdEnds} <Moment at={expiresAt} isAhead />
      </>
    );
  if (step === "placed") return <Moment at={createdAt} />;
  return step === status ? <Moment at={updatedAt} /> : null;
}
