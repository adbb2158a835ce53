// Schemas of orders.

import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../../domain/animals/search-text.ts";
import { ORDER_COUNT_MAX } from "../../domain/basics/list-limits.ts";
import { textRule } from "../../domain/basics/text.ts";
import { REFERENCE_MAX } from "../../domain/basics/text-limits.ts";
import { describeTransitions, targetsOf } from "../../domain/basics/transition.ts";
import { ORDER_SORTS, ORDER_STATUSES, ORDER_TRANSITIONS } from "../../domain/orders/order.ts";
import { freeText, identifier, pageQuery, parameter, pathOf, Timestamp } from "./members.ts";
import { Pet, RENAMED_REX } from "./pets.ts";
import { Type } from "./type.ts";

const OrderStatus = Type.Enum(ORDER_STATUSES, {
  title: "OrderStatus",
  description: `Allowed transitions: ${describeTransitions(ORDER_TRANSITIONS)}. The service changes placed → expired.`,
  "x-transitions": ORDER_TRANSITIONS,
});

/** After the renaming that the example of a history shows. */
const PLACED_AT = "2026-11-15T10:00:00.000Z";
const NEW_ORDER = { petId: 1, reference: "case 4711" };
const PLACED_ORDER = {
  id: 1,
  petId: NEW_ORDER.petId,
  status: "placed",
  reference: NEW_ORDER.reference,
  createdAt: PLACED_AT,
  updatedAt: PLACED_AT,
};
const EXPIRING_ORDER = { ...PLACED_ORDER, expiresAt: "2026-11-18T10:00:00.000Z" };
const APPROVAL = { status: "approved" };

const REFERENCE_MEANING = `Your own reference, such as a case number: ${textRule(REFERENCE_MAX)}.`;
const orderMembers = {
  petId: identifier("The animal that the order reserves."),
  reference: freeText(REFERENCE_MAX, NEW_ORDER.reference, REFERENCE_MEANING),
};

export const NewOrder = Type.Named("NewOrder", "An order to place.", [NEW_ORDER], {
  petId: orderMembers.petId,
  reference: Type.Optional(Type.Described(orderMembers.reference, `${REFERENCE_MEANING} Default: empty.`)),
});

export const OrderPatch = Type.Named("OrderPatch", "The new status of an order.", [APPROVAL], {
  status: Type.Annotated(OrderStatus, { "x-allowed": `one of ${targetsOf(ORDER_TRANSITIONS).join(", ")}` }),
});

export const Order = Type.Named("Order", "An order, which reserves one animal.", [EXPIRING_ORDER], {
  id: identifier("Assigned by the service in ascending order, never reused."),
  petId: orderMembers.petId,
  status: OrderStatus,
  reference: orderMembers.reference,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Type.Optional(Type.Described(Timestamp, "When the order expires; present while it is placed.")),
  pet: Type.Optional(
    Type.Described(
      Pet,
      "The current animal; only in a list with `expand=pet`, and absent if it was deleted.",
    ),
  ),
});
export const ChangedOrder = Type.Annotated(Order, {
  examples: [{ ...PLACED_ORDER, ...APPROVAL, updatedAt: "2026-11-15T10:30:00.000Z" }],
});

export const Orders = Type.List(
  "Orders",
  "Orders in ascending order of id or, with `sort`, in another order.",
  Order,
  [[{ ...EXPIRING_ORDER, pet: { ...RENAMED_REX, status: "pending" } }]],
);

const counted = (meaning: string) =>
  Type.Integer({ minimum: 0, maximum: ORDER_COUNT_MAX, description: `Orders that ${meaning}.` });

export const OrderCounts = Type.Named(
  "OrderCounts",
  `The number of orders in each status; ${ORDER_COUNT_MAX} means that there are this many or more.`,
  [{ placed: 1, approved: 0, delivered: 0, returned: 0, cancelled: 0, expired: 0 }],
  {
    placed: counted("wait for approval"),
    approved: counted("are approved and not yet delivered"),
    delivered: counted("are delivered"),
    returned: counted("were delivered and returned"),
    cancelled: counted("were cancelled"),
    expired: counted("were not approved in time"),
  },
);

export const OrdersQuery = pageQuery({
  status: parameter(OrderStatus, "Only orders with this status.", PLACED_ORDER.status),
  petId: Type.Optional(identifier("Only orders for this animal.")),
  shelterId: Type.Optional(identifier("Only orders for animals that belong to this shelter now.")),
  q: Type.Optional(
    freeText(
      SEARCH_LENGTH_MAX,
      "4711",
      `At most ${SEARCH_WORDS_MAX} words, each of which must occur in the reference or in the name of the animal, ignoring case and accents.`,
    ),
  ),
  expand: Type.Optional(
    Type.Enum(["pet"], { description: "Adds `pet`, the current animal, to each order.", examples: ["pet"] }),
  ),
  sort: Type.Optional(
    Type.Enum(ORDER_SORTS, {
      default: "oldest",
      description:
        "The order of the list: `newest` starts with the newest order, `ending` with the placed order that expires first (only with `status=placed`).",
      examples: ["newest"],
    }),
  ),
});

export const OrderPath = pathOf("orderId", "order_not_found", "Identifier of the order.", PLACED_ORDER.id);

export const ORDER_COMPONENTS = [Order, NewOrder, Orders, OrderCounts, OrderPatch, OrderStatus];
