// The distance between two places on the Earth.

export interface Location {
  /** In degrees, from -90 to 90. */
  latitude: number;
  /** In degrees, from -180 to 180: both ends are the same meridian. */
  longitude: number;
}

/** A circle: everything within the distance. */
export interface Near extends Location {
  withinKm: number;
}

export const WITHIN_KM_MAX = 1_000;
export const WITHIN_KM_DEFAULT = 50;

/** The mean radius of the Earth. */
const EARTH_RADIUS_KM = 6_371.0088;
const RADIANS_PER_DEGREE = Math.PI / 180;

/** Along a great circle, by the haversine formula: exact enough for neighbours, and defined at the poles. */
export function distanceKm(from: Location, to: Location): number {
  const latitudes = Math.sin(((to.latitude - from.latitude) * RADIANS_PER_DEGREE) / 2) ** 2;
  const longitudes = Math.sin(((to.longitude - from.longitude) * RADIANS_PER_DEGREE) / 2) ** 2;
  const [cosFrom, cosTo] = [from, to].map(({ latitude }) => Math.cos(latitude * RADIANS_PER_DEGREE));
  const haversine = latitudes + (cosFrom as number) * (cosTo as number) * longitudes;
  // Rounding may exceed 1 for opposite points.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** The latitudes that the circle reaches, with a margin for rounding. */
export function latitudesOf({ latitude, withinKm }: Near): [min: number, max: number] {
  const degrees = withinKm / EARTH_RADIUS_KM / RADIANS_PER_DEGREE + 1e-6;
  return [latitude - degrees, latitude + degrees];
}

export function isNear(location: Location | undefined, near: Near): boolean {
  return location !== undefined && distanceKm(location, near) <= near.withinKm;
}
