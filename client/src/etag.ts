// The ETags of animals, orders, listings and shelters, for changes that must not overwrite other changes.

/** By the object that a method has returned. */
const ETAGS = new WeakMap<object, string>();

export function rememberEtag(body: unknown, headers: Headers): void {
  const etag = headers.get("etag");
  if (etag !== null && typeof body === "object" && body !== null) ETAGS.set(body, etag);
}

/**
 * The ETag of an animal, an order, a listing or a shelter, for `ifMatch`. Takes the very object that `getPet`, `getOrder`,
 * `getListing`, `getShelter` or one of the methods that change them has returned, and throws a TypeError for any other: a copy
 * or an item of a list has no ETag. The ETag of a listing is for `updateProfile`, `updatePet` and `deletePet`.
 *
 * @example
 * const order = await client.getOrder(1);
 * await client.updateOrder(1, { status: "approved" }, { ifMatch: etagOf(order) });
 */
export function etagOf(returned: object): string {
  const etag = ETAGS.get(returned);
  if (etag === undefined)
    throw new TypeError(
      "Only an object that getPet, getOrder, getListing, getShelter, updatePet, updateOrder, updateProfile or updateShelter has returned has an ETag",
    );
  return etag;
}
