// Orders and the inventory: listOrders, getOrderCounts, createOrder, getOrder, updateOrder, getInventory.

import { performance } from "node:perf_hooks";
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
  type Ownership,
  positionOf,
} from "../../domain/orders/order.ts";
import { createFairQueue } from "../../tools/fair-queue.ts";
import { callerOf, originOf, requireAccess } from "../admission/caller.ts";
import { preconditionOf } from "../pages/etag.ts";
import { readSearch } from "../pages/listings-query.ts";
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

/** A search may read all orders: few run at a time on a node, and one of each key. */
const SEARCHES = { atOnce: 2, waitingMax: 10 };
const SEARCH_WAIT_MS = 10_000;
const ENDING_NEEDS = { message: "sort may be ending only with status=placed: no other orders expire" };

export const listOrders: Route<"orders" | "publicUrl"> = (app, services) => {
  const runSearch = createFairQueue(SEARCHES, { onFull: busy, onTimeout: busy });
  app.get("/store/orders", {
    schema: {
      operationId: "listOrders",
      summary: "List orders",
      description:
        "One page of orders, in ascending order of id unless `sort` says otherwise. A key with access `adopt` sees only its own orders, a key of a shelter only orders for animals of this shelter.",
      querystring: OrdersQuery,
      answer: "A page of orders.",
      response: { 200: Orders },
    },
    config: { access: "adopt", etag: true },
    handler: async (request, reply) => {
      const { status, petId, shelterId, q, expand, sort = "oldest", ...page } = request.query;
      if (sort === "ending" && status !== "placed") throw new ServiceError("invalid_parameter", ENDING_NEEDS);
      const filters = [];
      if (status !== undefined) filters.push(`status=${status}`);
      if (petId !== undefined) filters.push(`petId=${petId}`);
      if (shelterId !== undefined) filters.push(`shelterId=${shelterId}`);
      if (q !== undefined) filters.push(`q=${encodeURIComponent(q)}`);
      if (sort !== "oldest") filters.push(`sort=${sort}`);
      const words = q === undefined ? [] : readSearch(q);
      const filter = { status, petId, shelterId, words, ...ownershipOf(request) };
      const view = { sort, hasPets: expand === "pet" };
      const found = await answerPage<ListedOrder>(reply, page, {
        path: "store/orders",
        filters,
        others: expand === undefined ? [] : [`expand=${expand}`],
        base: apiUrl(services),
        positionBits: sort === "ending" ? 128 : 64,
        positionOf: (order) => positionOf(order, sort),
        read: (rows) => {
          const list = () => services.orders.list(filter, rows, view);
          if (words.length === 0) return list();
          return runSearch(callerOf(request).id, performance.now() + SEARCH_WAIT_MS, list);
        },
      });
      return found.map(describeOrder);
    },
  });
};

export const getOrderCounts: Route<"orders"> = (app, { orders }) =>
  app.get("/store/order-counts", {
    schema: {
      operationId: "getOrderCounts",
      summary: "Count the orders",
      description: `The number of orders in each status at this moment; ${ORDER_COUNT_MAX} means that there are this many or more. For a key with access \`adopt\`, of its own orders; for a key of a shelter, of orders for its animals.`,
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
    config: { access: "adopt", errors: ["other_shelter", "pet_not_found", "pet_not_available"] },
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
      description:
        "For a key with access `adopt`, an order of another key is not found; for a key of a shelter, an order for an animal of another shelter.",
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

/** Keys below `manage` see only their own orders, keys of a shelter only orders for its animals; the stores filter in SQL. */
function ownershipOf(request: FastifyRequest): Ownership {
  const { id, access, shelterId: keyShelterId } = callerOf(request);
  return { keyShelterId, ownerId: includesAccess(access, "manage") ? undefined : id };
}

function busy(): ServiceError {
  const message = "Too many searches for orders are running. Send this one again after a short wait.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: 1 });
}

function describeFound(order: DomainOrder | undefined) {
  if (order === undefined) throw new ServiceError("order_not_found");
  return describeOrder(order);
}
