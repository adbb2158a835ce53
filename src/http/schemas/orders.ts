// Schemas of orders.

import { ORDER_STATUSES, ORDER_TRANSITIONS, REFERENCE_MAX } from "../../domain/order.ts";
import { textPattern, textRule } from "../../domain/text.ts";
import { describeTransitions } from "../../domain/transition.ts";
import { annotate, identifier, pageQuery, pathOf, Timestamp, text } from "./members.ts";
import { Type } from "./type.ts";

const OrderStatus = text(ORDER_STATUSES, {
  title: "OrderStatus",
  description: `Allowed transitions: ${describeTransitions(ORDER_TRANSITIONS)}. The service changes placed → expired.`,
  "x-transitions": ORDER_TRANSITIONS,
});

const orderMembers = {
  petId: identifier("The animal that the order reserves."),
  reference: Type.String({
    pattern: textPattern(REFERENCE_MAX),
    "x-allowed": textRule(REFERENCE_MAX),
    description: `Your own reference, such as a case number: ${textRule(REFERENCE_MAX)}.`,
    examples: ["case 4711"],
  }),
};

export const NewOrder = Type.Object(
  { petId: orderMembers.petId, reference: Type.Optional(annotate(orderMembers.reference, { default: "" })) },
  { title: "NewOrder", description: "An order to place.", examples: [{ petId: 1, reference: "case 4711" }] },
);

export const OrderPatch = Type.Object(
  { status: OrderStatus },
  { title: "OrderPatch", description: "The new status of an order.", examples: [{ status: "approved" }] },
);

export const Order = Type.Object(
  {
    id: identifier("Assigned by the service in ascending order, never reused."),
    petId: orderMembers.petId,
    status: OrderStatus,
    reference: orderMembers.reference,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Type.Optional(
      annotate(Timestamp, { description: "When the order expires; present while it is placed." }),
    ),
  },
  {
    title: "Order",
    description: "An order, which reserves one animal.",
    examples: [
      {
        id: 1,
        petId: 1,
        status: "placed",
        reference: "case 4711",
        createdAt: "2026-11-15T09:30:00.000Z",
        updatedAt: "2026-11-15T09:30:00.000Z",
        expiresAt: "2026-11-18T09:30:00.000Z",
      },
    ],
  },
);

export const Orders = Type.Array(Order, { title: "Orders", description: "Orders in ascending order of id." });

export const OrdersQuery = pageQuery({
  status: Type.Optional(annotate(OrderStatus, { description: "Only orders with this status." })),
  petId: Type.Optional(identifier("Only orders for this animal.")),
});

export const OrderPath = pathOf("orderId", "Identifier of the order.", "order_not_found");

export const ORDER_COMPONENTS = [Order, NewOrder, Orders, OrderPatch, OrderStatus];
