// One order of the list, with the moves that its status and the key allow.

import { type Order, type OrderStatus, TRANSITIONS } from "../../../client/src/client.ts";
import { Moment } from "../parts/moment.tsx";
import { capitalise } from "../state/format.ts";
import { petName } from "../state/pet-names.ts";
import { hasAccess } from "../state/session.ts";

export interface Move {
  to: OrderStatus;
  label: string;
  /** Completes the notice that starts with "Order 3". */
  done: string;
  /** The effect on the animal, for moves that need a confirmation. */
  warning?: string;
}

/** The words for each status that an order can be moved to. */
const MOVES: Partial<Record<OrderStatus, Omit<Move, "to">>> = {
  approved: { label: "Approve", done: "is approved" },
  delivered: {
    label: "Deliver",
    done: "is delivered: the animal has a home",
    warning: "goes to its new home and will be sold.",
  },
  returned: {
    label: "Return",
    done: "is returned",
    warning: "comes back and will be available again. A returned order stays returned.",
  },
  cancelled: {
    label: "Cancel",
    done: "is cancelled",
    warning: "will be available again. A cancelled order stays cancelled.",
  },
};

interface OrderRowProps {
  order: Order;
  /** True while a move is sent. */
  isMoving: boolean;
  onMove: (move: Move) => void;
}

export function OrderRow({ order, isMoving, onMove }: OrderRowProps) {
  const moves = TRANSITIONS.OrderStatus[order.status]
    // A key without "manage" can only cancel its own orders.
    .filter((to) => to === "cancelled" || hasAccess("manage"))
    .flatMap((to) => (MOVES[to] === undefined ? [] : [{ to, ...MOVES[to] }]));
  return (
    <tr>
      <td class="number">{String(order.id)}</td>
      <th scope="row">
        {petName(order.petId) ?? "Animal"} <span class="quiet">#{String(order.petId)}</span>
      </th>
      <td data-label="Reference">{order.reference || <span class="quiet">none</span>}</td>
      <td>
        <span class={`status ${order.status}`}>{capitalise(order.status)}</span>
      </td>
      <td data-label="Placed">
        <Moment at={order.createdAt} />
      </td>
      <td data-label="Hold ends">
        <Moment at={order.expiresAt} never="–" />
      </td>
      <td class="actions">
        {moves.map((move) => (
          <button
            key={move.to}
            type="button"
            aria-label={`${move.label} order ${order.id}`}
            aria-disabled={isMoving}
            onClick={({ detail }) => {
              // The second click of a double-click may hit the button of the next move.
              if (detail <= 1 && !isMoving) onMove(move);
            }}
          >
            {move.label}
          </button>
        ))}
      </td>
    </tr>
  );
}
