// The moves of an order that staff make, on the list and on the page of its animal: at once, or after a question.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Order, type OrderStatus, TRANSITIONS } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { explain } from "../shared/state/failures.ts";
import { notify } from "../shared/state/notices.ts";
import { hasAccess } from "../shared/state/permissions.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";

/** The statuses that staff can give to an order. */
export type Move = Exclude<OrderStatus, "placed" | "expired">;

/** A key without "manage" can only cancel its own orders. */
export function movesOf({ status }: Order): Move[] {
  return TRANSITIONS.OrderStatus[status]
    .filter((to): to is Move => to !== "placed" && to !== "expired")
    .filter((to) => to === "cancelled" || hasAccess("manage"));
}

/** Whether the move leads towards the new home. */
export function isNextStep(move: Move): boolean {
  return move === "approved" || move === "delivered";
}

interface OrderMoves {
  /** False once the order is shown with its new status, although more may still be read. */
  isMoving: (order: Order) => boolean;
  /** True while any move is sent. */
  isAnyMoving: () => boolean;
  move: (order: Order, to: Move) => void;
  /** The question before a move that cannot be taken back. */
  question: ComponentChildren;
}

/** `reload` is called after each move, also when the service has refused it. */
export function useOrderMoves(reload: () => Promise<void>): OrderMoves {
  /** The orders with a running request, as they were before it. */
  const moving = useSignal<ReadonlySet<string>>(new Set());
  const asked = useSignal<{ order: Order; to: Move } | undefined>(undefined);

  async function send(order: Order, to: Move, signal?: AbortSignal): Promise<void> {
    const before = stateOf(order);
    moving.value = new Set([...moving.value, before]);
    try {
      await ask((client) => client.updateOrder(order.id, { status: to }, { signal }));
      notify(t().orders.moved[to](String(order.id), order.pet ? <PetLink pet={order.pet} /> : nameOf(order)));
    } finally {
      await reload();
      moving.value = new Set([...moving.value].filter((each) => each !== before));
    }
  }

  return {
    isMoving: (order) => moving.value.has(stateOf(order)),
    isAnyMoving: () => moving.value.size > 0,
    move(order, to) {
      // The only move that can be taken back.
      if (to !== "approved") asked.value = { order, to };
      else send(order, to).catch((error) => notify(explain(error), { isFailure: true }));
    },
    question: asked.value && (
      <ConfirmMove {...asked.value} onMove={send} onClose={() => (asked.value = undefined)} />
    ),
  };
}

function stateOf({ id, status }: Order): string {
  return `${id} ${status}`;
}

/** An animal that was deleted has only its number. */
function nameOf({ pet, petId }: Order): string {
  return pet?.name ?? t().orders.deletedPet(String(petId));
}

interface ConfirmMoveProps {
  order: Order;
  to: Move;
  onMove: (order: Order, to: Move, signal: AbortSignal) => Promise<void>;
  onClose: () => void;
}

function ConfirmMove({ order, to, onMove, onClose }: ConfirmMoveProps) {
  const { title, action, keep, warning } = t().orders.confirm[to as "cancelled"];
  return (
    <Confirm
      title={title(String(order.id))}
      action={action}
      keepLabel={keep}
      isDangerous={to === "cancelled"}
      onConfirm={(signal) => onMove(order, to, signal)}
      onClose={onClose}
    >
      {warning(nameOf(order))}
    </Confirm>
  );
}
