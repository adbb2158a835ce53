// Made from docs/openapi.json by client/generate.ts; npm run docs writes it anew.

import type { Int64 } from "./int64.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions, PostOptions } from "./options.ts";
import type { Pages } from "./pages.ts";

/** An animal. */
export interface Pet {
  /** Assigned by the service, rising, never reused. */
  id: Int64;
  /**
   * The animal's name: 1 to 255 characters after trimming white space at both ends, without control characters.
   * It is stored trimmed.
   */
  name: string;
  /** Identifier of the category the animal belongs to; any int64. */
  categoryId: Int64;
  status: PetStatus;
}

/** An animal to add. Without `status` it is `available`. */
export interface NewPet {
  /**
   * The animal's name: 1 to 255 characters after trimming white space at both ends, without control characters.
   * It is stored trimmed.
   */
  name: string;
  /** Identifier of the category the animal belongs to; any int64. */
  categoryId: Int64;
  status?: PetStatus | undefined;
}

/** Animals by id, rising. */
export type Pets = Pet[];

/** What to change of an animal. */
export interface PetPatch {
  /**
   * The animal's name: 1 to 255 characters after trimming white space at both ends, without control characters.
   * It is stored trimmed.
   */
  name?: string | undefined;
  /** Identifier of the category the animal belongs to; any int64. */
  categoryId?: Int64 | undefined;
  status?: PetStatus | undefined;
}

/** The availability of an animal. */
export type PetStatus = "available" | "pending" | "sold";

/** One change of an animal or of an order for it. `from` is absent on creation, `to` on deletion. */
export interface Change {
  /** Rises by one with every change in the store. */
  number: Int64;
  /** What has changed, and how. */
  what: "pet.created" | "pet.updated" | "pet.deleted" | "order.created" | "order.updated";
  /** The animal, or the one that the order is for. */
  petId: Int64;
  at: string;
  /** The order that has changed. */
  orderId?: Int64 | undefined;
  from?: ChangedState | undefined;
  to?: ChangedState | undefined;
  /** The key that did it; 0 is ADMIN_API_KEY. Absent where the service itself or its operator did it. */
  keyId?: Int64 | undefined;
}

/** Changes by number, rising. */
export type Changes = Change[];

/** An animal or an order as it was before or after a change. */
export interface ChangedState {
  /** Of the animal or the order. */
  status: string;
  /** Of an animal. */
  name?: string | undefined;
  /** Of an animal. */
  categoryId?: Int64 | undefined;
  /** Of an order. */
  reference?: string | undefined;
}

/** The number of animals in each status. */
export interface Inventory {
  /** Animals that can be ordered. */
  available: number;
  /** Animals that are held. */
  pending: number;
  /** Animals that have found a home. */
  sold: number;
}

/** An order, which reserves one animal. */
export interface Order {
  /** Assigned by the service, rising, never reused. */
  id: Int64;
  /** The animal that the order reserves. */
  petId: Int64;
  status: OrderStatus;
  /** Your own text, such as the number of your case: text of at most 255 characters, without control characters. */
  reference: string;
  createdAt: string;
  updatedAt: string;
  /** When the hold ends, while the order is placed. */
  expiresAt?: string | undefined;
}

/** An order to place. */
export interface NewOrder {
  /** The animal that the order reserves. */
  petId: Int64;
  /** Your own text, such as the number of your case: text of at most 255 characters, without control characters. */
  reference?: string | undefined;
}

/** Orders by id, rising. */
export type Orders = Order[];

/** Where to move an order. */
export interface OrderPatch {
  status: OrderStatus;
}

/**
 * placed → approved or cancelled; approved → delivered or cancelled; delivered → returned; placed → expired, by
 * itself.
 */
export type OrderStatus = "placed" | "approved" | "delivered" | "returned" | "cancelled" | "expired";

/** A category with its name. */
export interface Category {
  /** What animals carry as `categoryId`. */
  id: Int64;
  /**
   * The name of the category: 1 to 100 characters after trimming white space at both ends, without control
   * characters. It is stored trimmed.
   */
  name: string;
}

/** The name to give to a category. */
export interface CategoryNaming {
  /**
   * The name of the category: 1 to 100 characters after trimming white space at both ends, without control
   * characters. It is stored trimmed.
   */
  name: string;
}

/** Categories by id, rising. */
export type Categories = Category[];

/** The plan of a key, which gives it its limits. */
export type Plan = "free" | "pro" | "business" | "enterprise";

/** What a key may do; each level includes those before it. */
export type Access = "browse" | "adopt" | "manage" | "admin";

/** A key, without its secret. */
export interface ApiKey {
  /** Assigned by the service. */
  id: Int64;
  name: string;
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day. */
  perDay: number;
  /** The recognisable beginning of the key. */
  hint: string;
  /** Whether the key is in force. */
  state: "active" | "expired" | "revoked";
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its answer; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
}

/** Keys by id, rising. */
export type ApiKeys = ApiKey[];

/** A key with what is left to it, without its secret. */
export interface KeyDetails {
  /** Assigned by the service. */
  id: Int64;
  name: string;
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day. */
  perDay: number;
  /** The recognisable beginning of the key. */
  hint: string;
  /** Whether the key is in force. */
  state: "active" | "expired" | "revoked";
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its answer; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
  /** What is left to the key. */
  usage: {
    minute: {
      limit: number;
      remaining: number;
      /** Unix time in seconds. */
      reset: number;
    };
    day: {
      limit: number;
      remaining: number;
      /** Unix time in seconds. */
      reset: number;
    };
    /** Present while the key is banned. */
    ban?: {
      /** Unix time in seconds. */
      reset: number;
    };
  };
}

/** A key to issue. Without `access` it may `manage`. */
export interface NewKey {
  /**
   * What the key is for: 1 to 100 characters after trimming white space at both ends, without control
   * characters.
   */
  name: string;
  plan: Plan;
  access?: Access | undefined;
  /** Own limit of an enterprise key. */
  perMinute?: number | undefined;
  /** Own limit of an enterprise key. */
  perDay?: number | undefined;
  expiresAt?: string | undefined;
}

/** What to change; `null` takes an own limit or the expiry away. */
export interface KeyPatch {
  /**
   * What the key is for: 1 to 100 characters after trimming white space at both ends, without control
   * characters.
   */
  name?: string | undefined;
  plan?: Plan | undefined;
  access?: Access | undefined;
  perMinute?: number | null | undefined;
  perDay?: number | null | undefined;
  expiresAt?: string | null | undefined;
}

/** How to rotate. */
export interface KeyRotation {
  /** How long the old secret still works. */
  graceSeconds?: number | undefined;
}

/** A key with its secret. */
export interface IssuedKey {
  /** Assigned by the service. */
  id: Int64;
  name: string;
  plan: Plan;
  access: Access;
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day. */
  perDay: number;
  /** The recognisable beginning of the key. */
  hint: string;
  /** Whether the key is in force. */
  state: "active" | "expired" | "revoked";
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  /** Accurate to a minute. */
  lastUsedAt?: string | undefined;
  /** The last call of the deprecated `getPet`, whatever its answer; accurate to a minute. */
  deprecatedUsedAt?: string | undefined;
  /** The key itself. Shown this once. */
  key: string;
  /** After a rotation: when the old secret ends. */
  oldEndsAt?: string | undefined;
}

/** What is left to the key that asks. */
export interface Usage {
  plan: Plan;
  access: Access;
  minute: {
    limit: number;
    remaining: number;
    /** Unix time in seconds. */
    reset: number;
  };
  day: {
    limit: number;
    remaining: number;
    /** Unix time in seconds. */
    reset: number;
  };
  /** Present while the key is banned. */
  ban?: {
    /** Unix time in seconds. */
    reset: number;
  };
}

/** The answers of one minute. */
export interface TrafficMinute {
  /** When the minute began. */
  at: string;
  /** By status, rising; empty in a quiet minute. */
  answers: {
    /** The HTTP status. */
    status: number;
    /** How many answers had it. */
    count: number;
  }[];
}

/** The answers of the last 60 minutes, the oldest first. */
export type Traffic = TrafficMinute[];

/** The body of every answer that is neither 2xx nor 304. */
export interface ErrorBody {
  /** Machine-readable error code. */
  code:
    | "bad_request"
    | "invalid_json"
    | "invalid_body"
    | "invalid_parameter"
    | "invalid_cursor"
    | "invalid_idempotency_key"
    | "missing_api_key"
    | "invalid_api_key"
    | "insufficient_access"
    | "pet_not_found"
    | "order_not_found"
    | "category_not_found"
    | "key_not_found"
    | "route_not_found"
    | "method_not_allowed"
    | "request_timeout"
    | "invalid_transition"
    | "pet_not_available"
    | "pet_has_open_order"
    | "idempotency_in_progress"
    | "operation_removed"
    | "body_too_large"
    | "unsupported_media_type"
    | "idempotency_key_reused"
    | "rate_limit_exceeded"
    | "daily_limit_exceeded"
    | "key_banned"
    | "headers_too_large"
    | "internal_error"
    | "unavailable";
  /** Human-readable description. */
  message: string;
  /** The HTTP status code. */
  status: number;
}

/** What `listPets` can be asked for. */
export interface ListPetsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only animals with this status. */
  status?: PetStatus | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** What `listPetHistory` can be asked for. */
export interface ListPetHistoryQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** What `listOrders` can be asked for. */
export interface ListOrdersQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only orders with this status. */
  status?: OrderStatus | undefined;
  /** Only orders for this animal. */
  petId?: Int64 | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** What `listCategories` can be asked for. */
export interface ListCategoriesQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** What `listKeys` can be asked for. */
export interface ListKeysQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only keys that have called this deprecated operation. */
  calls?: "getPet" | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** Every code that the service answers. */
export type ErrorCode = ErrorBody["code"];

/** The values of every named list. */
export const VALUES = {
  PetStatus: ["available", "pending", "sold"],
  OrderStatus: ["placed", "approved", "delivered", "returned", "cancelled", "expired"],
  Plan: ["free", "pro", "business", "enterprise"],
  Access: ["browse", "adopt", "manage", "admin"],
} as const;

/** A method for every operation of the service. */
export interface Operations {
  /**
   * List animals. A page of animals by id, rising. The `Link` header has the address of the next page; the last
   * page has none. Needs access `browse`.
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Pages<Pet>;
  /** Add an animal. The answer is sent once the animal is on disk. Needs access `manage`. */
  createPet(body: NewPet, options?: PostOptions): Promise<Pet>;
  /**
   * Get an animal.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead. Needs access
   * `browse`.
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
   * Show the answers of the last hour. How many requests for operations, and for paths that do not exist, were
   * answered with which status in each of the last 60 minutes. Of the node that answers, since its start;
   * `/metrics` of every node is for sums over nodes and longer times. Needs access `admin`.
   */
  getTraffic(options?: CallOptions): Promise<Traffic>;
}

/** What the methods do, for programs that ask. */
export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {
  listPets: { method: "GET", path: "/pets", access: "browse", takes: "query", isPaged: true },
  createPet: { method: "POST", path: "/pets", access: "manage", takes: "body" },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    access: "browse",
    deprecated: "Will be removed on 5 December 2030. Use `listPets` with a `status` filter instead.",
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
