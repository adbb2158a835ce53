// Generated from docs/openapi.json by client/generate.ts; npm run docs writes it.

import type { Int64 } from "../int64.ts";

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

/**
 * The availability of an animal. Allowed transitions: available → pending or sold; pending → available or sold;
 * sold → available.
 */
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
 * Allowed transitions: placed → approved or cancelled; approved → delivered or cancelled; delivered → returned.
 * The service itself moves placed → expired.
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

/** The query of `listPets`. */
export interface ListPetsQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only animals with this status. */
  status?: PetStatus | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** The query of `listPetHistory`. */
export interface ListPetHistoryQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** The query of `listOrders`. */
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

/** The query of `listCategories`. */
export interface ListCategoriesQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** The query of `listKeys`. */
export interface ListKeysQuery {
  /** Maximum number of items returned. */
  limit?: number | undefined;
  /** Only keys that have called this deprecated operation. */
  calls?: "getPet" | undefined;
  /** Where the page starts. Opaque: taken from the `next` link of the page before. */
  cursor?: string | undefined;
}

/** Every error code of the service. */
export type ErrorCode = ErrorBody["code"];

/** The values of every named list. */
export const VALUES = {
  PetStatus: ["available", "pending", "sold"],
  OrderStatus: ["placed", "approved", "delivered", "returned", "cancelled", "expired"],
  Plan: ["free", "pro", "business", "enterprise"],
  Access: ["browse", "adopt", "manage", "admin"],
} as const;

/** The statuses that may follow each status. */
export const TRANSITIONS: {
  readonly PetStatus: Readonly<Record<PetStatus, readonly PetStatus[]>>;
  readonly OrderStatus: Readonly<Record<OrderStatus, readonly OrderStatus[]>>;
} = {
  PetStatus: {
    available: ["pending", "sold"],
    pending: ["available", "sold"],
    sold: ["available"],
  },
  OrderStatus: {
    placed: ["approved", "cancelled"],
    approved: ["delivered", "cancelled"],
    delivered: ["returned"],
    returned: [],
    cancelled: [],
    expired: [],
  },
};
