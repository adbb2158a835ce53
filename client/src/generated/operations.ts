// Generated from docs/openapi.json by client/generate.ts; npm run docs writes it.

import type { Int64 } from "../int64.ts";
import type { Operation } from "../operation.ts";
import type { CallOptions, PostOptions } from "../options.ts";
import type { Pages } from "../pages.ts";
import type {
  ApiKey,
  Category,
  CategoryNaming,
  Change,
  Inventory,
  IssuedKey,
  KeyDetails,
  KeyPatch,
  KeyRotation,
  ListCategoriesQuery,
  ListKeysQuery,
  ListOrdersQuery,
  ListPetHistoryQuery,
  ListPetsQuery,
  NewKey,
  NewOrder,
  NewPet,
  Order,
  OrderPatch,
  Pet,
  PetPatch,
  Traffic,
  Usage,
} from "./shapes.ts";

/** One method per operation of the service. */
export interface Operations {
  /**
   * List animals. A page of animals by id, rising. The `Link` header has the address of the next page; the last
   * page has none. Needs access `browse`.
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Pages<Pet>;
  /** Add an animal. The answer is sent once the animal is on disk. Needs access `manage`. */
  createPet(body: NewPet, options?: PostOptions): Promise<Pet>;
  /**
   * Get an animal. Needs access `browse`.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead.
   */
  getPet(petId: Int64, options?: CallOptions): Promise<Pet>;
  /**
   * Change an animal. The status moves available → pending or sold; pending → available or sold; sold →
   * available; the same status again changes nothing. While an order is open, it moves through the order alone.
   * Needs access `manage`.
   */
  updatePet(petId: Int64, body: PetPatch, options?: CallOptions): Promise<Pet>;
  /** Delete an animal. For good. Its history and its past orders stay. Needs access `manage`. */
  deletePet(petId: Int64, options?: CallOptions): Promise<void>;
  /**
   * List the changes of an animal. A page of the changes of an animal and of its orders by number, rising; of a
   * deleted animal too. Numbers count all changes in the store, and no change appears after one with a higher
   * number. Needs access `manage`.
   */
  listPetHistory(petId: Int64, query?: ListPetHistoryQuery, options?: CallOptions): Pages<Change>;
  /**
   * List orders. A page of orders by id, rising. A key with access `adopt` sees its own orders only. Needs
   * access `adopt`.
   */
  listOrders(query?: ListOrdersQuery, options?: CallOptions): Pages<Order>;
  /**
   * Place an order. Reserves an available animal, which is `pending` from then on. Of two at once for one animal
   * exactly one succeeds. An order that nobody approves in time expires, and the animal is available again.
   * Needs access `adopt`.
   */
  createOrder(body: NewOrder, options?: PostOptions): Promise<Order>;
  /** Get an order. For a key with access `adopt`, orders of other keys do not exist. Needs access `adopt`. */
  getOrder(orderId: Int64, options?: CallOptions): Promise<Order>;
  /**
   * Move an order. An order moves placed → approved or cancelled; approved → delivered or cancelled; delivered →
   * returned. `delivered` makes the animal sold; `cancelled` and `returned` make it available again. A key with
   * access `adopt` may cancel its own orders; every other move needs `manage`. Needs access `adopt`.
   */
  updateOrder(orderId: Int64, body: OrderPatch, options?: CallOptions): Promise<Order>;
  /** Count the animals. The number of animals in each status, as of now. Needs access `browse`. */
  getInventory(options?: CallOptions): Promise<Inventory>;
  /** List categories. A page of the categories that have a name by id, rising. Needs access `browse`. */
  listCategories(query?: ListCategoriesQuery, options?: CallOptions): Pages<Category>;
  /**
   * Name a category. Creates the category (201) or renames it (200). Animals may carry an id without a name.
   * Needs access `manage`.
   */
  putCategory(categoryId: Int64, body: CategoryNaming, options?: CallOptions): Promise<Category>;
  /** Take the name of a category away. Animals keep the identifier. Needs access `manage`. */
  deleteCategory(categoryId: Int64, options?: CallOptions): Promise<void>;
  /** Show what is left. Not counted against any limit, and answered during a ban too. Needs access `browse`. */
  getUsage(options?: CallOptions): Promise<Usage>;
  /** List keys. A page of keys by id, rising; revoked and expired ones too. Needs access `admin`. */
  listKeys(query?: ListKeysQuery, options?: CallOptions): Pages<ApiKey>;
  /** Issue a key. The key itself is in this answer and nowhere else. Needs access `admin`. */
  createKey(body: NewKey, options?: PostOptions): Promise<IssuedKey>;
  /** Get a key. With both windows of its limits as they are now, and its ban if any. Needs access `admin`. */
  getKey(keyId: Int64, options?: CallOptions): Promise<KeyDetails>;
  /**
   * Change a key. In force with the next request. Leaving the enterprise plan drops the key's own limits. Needs
   * access `admin`.
   */
  updateKey(keyId: Int64, body: KeyPatch, options?: CallOptions): Promise<ApiKey>;
  /**
   * Revoke a key. For good, in force with the next request. The key stays listed as revoked. Needs access
   * `admin`.
   */
  revokeKey(keyId: Int64, options?: CallOptions): Promise<void>;
  /**
   * Give a key a new secret. The key keeps its id, settings and counts. The old secret works until the grace
   * time is over. Needs access `admin`.
   */
  rotateKey(keyId: Int64, body?: KeyRotation, options?: PostOptions): Promise<IssuedKey>;
  /** Lift the ban of a key. Needs access `admin`. */
  unbanKey(keyId: Int64, options?: PostOptions): Promise<ApiKey>;
  /**
   * Show the answers of the last hour. The number of responses by status in each of the last 60 minutes, for
   * operations and for unknown paths. Counted by the node that answers, since its start; use `/metrics` of every
   * node for sums over nodes and for longer times. Needs access `admin`.
   */
  getTraffic(options?: CallOptions): Promise<Traffic>;
}

/** Method, path, access and other facts about each operation. */
export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {
  listPets: { method: "GET", path: "/pets", access: "browse", takes: "query", isPaged: true },
  createPet: { method: "POST", path: "/pets", access: "manage", takes: "body" },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    access: "browse",
    deprecated: "Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead.",
    sunset: "2030-12-05",
  },
  updatePet: { method: "PATCH", path: "/pets/{petId}", access: "manage", takes: "body" },
  deletePet: { method: "DELETE", path: "/pets/{petId}", access: "manage" },
  listPetHistory: {
    method: "GET",
    path: "/pets/{petId}/history",
    access: "manage",
    takes: "query",
    isPaged: true,
  },
  listOrders: { method: "GET", path: "/store/orders", access: "adopt", takes: "query", isPaged: true },
  createOrder: { method: "POST", path: "/store/orders", access: "adopt", takes: "body" },
  getOrder: { method: "GET", path: "/store/orders/{orderId}", access: "adopt" },
  updateOrder: { method: "PATCH", path: "/store/orders/{orderId}", access: "adopt", takes: "body" },
  getInventory: { method: "GET", path: "/store/inventory", access: "browse" },
  listCategories: { method: "GET", path: "/categories", access: "browse", takes: "query", isPaged: true },
  putCategory: { method: "PUT", path: "/categories/{categoryId}", access: "manage", takes: "body" },
  deleteCategory: { method: "DELETE", path: "/categories/{categoryId}", access: "manage" },
  getUsage: { method: "GET", path: "/usage", access: "browse" },
  listKeys: { method: "GET", path: "/keys", access: "admin", takes: "query", isPaged: true },
  createKey: { method: "POST", path: "/keys", access: "admin", takes: "body" },
  getKey: { method: "GET", path: "/keys/{keyId}", access: "admin" },
  updateKey: { method: "PATCH", path: "/keys/{keyId}", access: "admin", takes: "body" },
  revokeKey: { method: "DELETE", path: "/keys/{keyId}", access: "admin" },
  rotateKey: { method: "POST", path: "/keys/{keyId}/rotate", access: "admin", takes: "body" },
  unbanKey: { method: "POST", path: "/keys/{keyId}/unban", access: "admin" },
  getTraffic: { method: "GET", path: "/traffic", access: "admin" },
};
