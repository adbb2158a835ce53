// Orders and the inventory: listOrders, getOrderCounts, createOrder, getOrder, updateOrder, getInventory.

import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { ORDER_COUNT_MAX } from "../../domain/basics/list-limits.ts";
import { describeTransitions } from "../../domain/basics/transition.ts";
import { includesAccess } from "../../domain/keys/plan.ts";
import {
  type Order as DomainOrder,
  describeOrder,
  type ListedOrder,
  ORDER_TRANSITIONS,
} from "../../domain/orders/order.ts";
import { callerOf, originOf, requireAccess } from "../admission/caller.ts";
import { preconditionOf } from "../pages/etag.ts";
import { answerPage } from "../pages/pages.ts";
import {
  ChangedOrder,
  NewOrder,
  Order,
  OrderCounts,
  OrderPatch,
  OrderPath,
  Orders,
  OrdersQuery,
} from "../schemas/orders.ts";
import { Inventory } from "../schemas/pets.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listOrders: Route<"orders" | "publicUrl"> = (app, services) =>
  app.get("/store/orders", {
    schema: {
      operationId: "listOrders",
      summary: "List orders",
      description:
        "One page of orders, in ascending order of id or, with `sort=newest`, newest first. A key with access `adopt` sees only its own orders.",
      querystring: OrdersQuery,
      answer: "A page of orders.",
      response: { 200: Orders },
    },
    config: { access: "adopt", etag: true },
    handler: async (request, reply) => {
      const { status, petId, expand, sort, ...page } = request.query;
      const filters = [];
      if (status !== undefined) filters.push(`status=${status}`);
      if (petId !== undefined) filters.push(`petId=${petId}`);
      if (sort === "newest") filters.push(`sort=${sort}`);
      const filter = { status, petId, ...ownershipOf(request) };
      const view = { sort, hasPets: expand === "pet" };
      const found = await answerPage<ListedOrder>(reply, page, {
        path: "store/orders",
        filters,
        others: expand === undefined ? [] : [`expand=${expand}`],
        base: apiUrl(services),
        read: (rows) => services.orders.list(filter, rows, view),
      });
      return found.map(describeOrder);
    },
  });

export const getOrderCounts: Route<"orders"> = (app, { orders }) =>
  app.get("/store/order-counts", {
    schema: {
      operationId: "getOrderCounts",
      summary: "Count the orders",
      description: `The number of orders in each status at this moment; ${ORDER_COUNT_MAX} means that there are this many or more. For a key with access \`adopt\`, of its own orders.`,
      answer: "The number of orders in each status.",
      response: { 200: OrderCounts },
    },
    config: { access: "adopt" },
    handler: (request) => orders.count(ownershipOf(request)),
  });

export const createOrder: Route<"answerPost" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/store/orders", {
    schema: {
      operationId: "createOrder",
      summary: "Place an order",
      description:
        "Reserves an available animal, which becomes `pending`. If two clients order the same animal at the same time, exactly one succeeds. An order that is not approved in time expires, and the animal becomes available again.",
      body: NewOrder,
      answer: "The placed order.",
      response: { 201: Order },
    },
    config: { access: "adopt", errors: ["pet_not_found", "pet_not_available"] },
    handler: (request, reply) =>
      services.answerPost(request, reply, async (stores) => {
        const order = await stores.orders.create(request.body, originOf(request, services));
        const location = apiUrl(services, `/store/orders/${order.id}`);
        return { status: 201, location, body: describeOrder(order) };
      }),
  });

export const getOrder: Route<"orders"> = (app, { orders }) =>
  app.get("/store/orders/:orderId", {
    schema: {
      operationId: "getOrder",
      summary: "Get an order",
      description: "For a key with access `adopt`, an order of another key is not found.",
      params: OrderPath,
      answer: "The order.",
      response: { 200: Order },
    },
    config: { access: "adopt", etag: true },
    handler: async (request) =>
      describeFound(await orders.find(request.params.orderId, ownershipOf(request))),
  });

export const updateOrder: Route<"orders" | "clock"> = (app, services) =>
  app.patch("/store/orders/:orderId", {
    schema: {
      operationId: "updateOrder",
      summary: "Change the status of an order",
      description: `Allowed transitions: ${describeTransitions(ORDER_TRANSITIONS)}. \`delivered\` makes the animal sold; \`cancelled\` and \`returned\` make it available again. A key with access \`adopt\` may cancel its own orders; every other transition needs \`manage\`.`,
      params: OrderPath,
      body: OrderPatch,
      answer: "The changed order.",
      response: { 200: ChangedOrder },
    },
    config: { access: "adopt", ifMatch: true, errors: ["invalid_transition"] },
    handler: async (request, reply) => {
      const { status } = request.body;
      if (status !== "cancelled") requireAccess(callerOf(request), "manage", reply);
      const stamp = originOf(request, services);
      const textOf = (order: DomainOrder) => reply.serialize(describeOrder(order)) as string;
      const expectation = { ...ownershipOf(request), precondition: preconditionOf(request, textOf) };
      return describeFound(await services.orders.move(request.params.orderId, status, stamp, expectation));
    },
  });

export const getInventory: Route<"pets"> = (app, { pets }) =>
  app.get("/store/inventory", {
    schema: {
      operationId: "getInventory",
      summary: "Count the animals",
      description: "The number of animals in each status at this moment.",
      answer: "The number of animals in each status.",
      response: { 200: Inventory },
    },
    config: { access: "browse" },
    handler: () => pets.inventory(),
  });

export const orderRoutes = routePlugin(
  "Store",
  listOrders,
  getOrderCounts,
  createOrder,
  getOrder,
  updateOrder,
  getInventory,
);

/** Keys below `manage` see only their own orders; the stores filter in SQL. */
function ownershipOf(request: FastifyRequest): { ownerId?: bigint } {
  const { id, access } = callerOf(request);
  return includesAccess(access, "manage") ? {} : { ownerId: id };
}

function describeFound(order: DomainOrder | undefined) {
  if (order === undefined) throw new ServiceError("order_not_found");
  return describeOrder(order);
}
