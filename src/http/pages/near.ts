// Reads the parameters `near` and `within` of the lists of shelters and listings.

import { ServiceError } from "../../domain/basics/errors.ts";
import { type Near, WITHIN_KM_DEFAULT } from "../../domain/shelters/distance.ts";
import { NEAR_RULE } from "../schemas/shelters.ts";

/** Without exponents, which the parameter does not allow, and without a sign of zero. */
const DEGREES = new Intl.NumberFormat("en", {
  maximumFractionDigits: 20,
  useGrouping: false,
  signDisplay: "negative",
});

interface NearQuery {
  near?: string | undefined;
  within?: number | undefined;
}

/** Throws `invalid_parameter` for a place that is not on the Earth, and for `within` without `near`. */
export function readNear({ near, within }: NearQuery): Near | undefined {
  if (near === undefined) {
    if (within === undefined) return undefined;
    throw new ServiceError("invalid_parameter", { message: "within may be given only with near" });
  }
  // The sum makes 0 of -0.
  const [latitude = NaN, longitude = NaN] = near.split(",").map((degrees) => Number(degrees) + 0);
  if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
    return { latitude, longitude, withinKm: within ?? WITHIN_KM_DEFAULT };
  throw new ServiceError("invalid_parameter", { message: `near must be ${NEAR_RULE}` });
}

/** In one fixed form: equal circles have equal parameters. */
export function showNear(near: Near | undefined): { near?: string; within?: number } {
  if (near === undefined) return {};
  const place = [near.latitude, near.longitude].map((degrees) => DEGREES.format(degrees));
  return { near: place.join(","), within: near.withinKm };
}
