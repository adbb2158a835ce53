// A plain model of adoptions: the expected result of each operation. Independent of the implementation.

export interface ModelPet {
  name: string;
  status: string;
  isDeleted: boolean;
}

export interface ModelOrder {
  petId: number;
  status: string;
  expiresAtMs: number;
}

export interface Model {
  pets: Map<number, ModelPet>;
  orders: Map<number, ModelOrder>;
  /** How many changes the history must hold. */
  changes: number;
  nowMs: number;
  /** The newest POST that was done, and its answer. */
  lastPost?: { path: string; body: object; idempotencyKey: string; text: string };
}

export const HOLD_MS = 2 * 3_600_000;

const PET_TRANSITIONS =
  "available>pending available>sold pending>available pending>sold sold>available".split(" ");
const ORDER_TRANSITIONS =
  "placed>approved approved>delivered delivered>returned placed>cancelled approved>cancelled".split(" ");

export function openOrderOf(model: Model, petId: number): ModelOrder | undefined {
  return [...model.orders.values()].find(
    (order) => order.petId === petId && /placed|approved/.test(order.status),
  );
}

/** These give back the status of the answer, and change the model as the service must change. */

export function patchPet(model: Model, id: number, changes: { name?: string; status?: string }): number {
  const pet = model.pets.get(id);
  if (pet === undefined || pet.isDeleted) return 404;
  const next = { ...pet, ...changes };
  if (next.status !== pet.status) {
    if (openOrderOf(model, id)) return 409;
    if (!PET_TRANSITIONS.includes(`${pet.status}>${next.status}`)) return 409;
  }
  if (next.status !== pet.status || next.name !== pet.name) model.changes += 1;
  model.pets.set(id, next);
  return 200;
}

export function deletePet(model: Model, id: number): number {
  const pet = model.pets.get(id);
  if (pet === undefined || pet.isDeleted) return 404;
  if (openOrderOf(model, id)) return 409;
  pet.isDeleted = true;
  model.changes += 1;
  return 204;
}

export function placeOrder(model: Model, petId: number): number {
  const pet = model.pets.get(petId);
  if (pet === undefined || pet.isDeleted) return 404;
  if (pet.status !== "available") return 409;
  pet.status = "pending";
  model.orders.set(model.orders.size + 1, { petId, status: "placed", expiresAtMs: model.nowMs + HOLD_MS });
  model.changes += 2;
  return 201;
}

export function moveOrder(model: Model, id: number, to: string): number {
  const order = model.orders.get(id);
  if (order === undefined) return 404;
  if (!ORDER_TRANSITIONS.includes(`${order.status}>${to}`)) return 409;
  order.status = to;
  model.changes += 1;
  const pet = model.pets.get(order.petId);
  if (to === "delivered") movePet(model, pet, "pending", "sold");
  if (to === "cancelled") movePet(model, pet, "pending", "available");
  const wentElsewhere = [...model.orders].some(
    ([other, each]) => other > id && each.petId === order.petId && each.status === "delivered",
  );
  if (to === "returned" && !wentElsewhere) movePet(model, pet, "sold", "available");
  return 200;
}

export function expireOrders(model: Model): void {
  for (const order of model.orders.values()) {
    if (order.status !== "placed" || order.expiresAtMs > model.nowMs) continue;
    order.status = "expired";
    model.changes += 1;
    movePet(model, model.pets.get(order.petId), "pending", "available");
  }
}

function movePet(model: Model, pet: ModelPet | undefined, from: string, to: string): void {
  if (pet === undefined || pet.isDeleted || pet.status !== from) return;
  pet.status = to;
  model.changes += 1;
}
