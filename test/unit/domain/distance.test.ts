// Distances on the Earth, compared with published ones and with another formula.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distanceKm, isNear, type Location, latitudesOf } from "../../../src/domain/shelters/distance.ts";

const RADIUS_KM = 6_371.0088;
const at = (latitude: number, longitude: number): Location => ({ latitude, longitude });

const BUENOS_AIRES = at(-34.58, -58.48);
const CAIRO = at(30.058056, 31.228889);
const CHICAGO = at(41.78, -87.75);
const LONDON = at(51.15, -0.18);
const LOS_ANGELES_AIRPORT = at(33.94, -118.4);
const NASHVILLE_AIRPORT = at(36.12, -86.67);
const SINGAPORE = at(1.37, 103.92);
const TOKYO = at(35.68, 139.77);
const WATERLOO = at(43.466667, -80.516667);

interface Published {
  from: Location;
  to: Location;
  km: number;
  /** The radius that the source has used. */
  radiusKm: number;
  digits: number;
}

/** From collections of exercises about great circles. */
const PUBLISHED: Record<string, Published> = {
  "Waterloo and Cairo": { from: WATERLOO, to: CAIRO, km: 9_293.521, radiusKm: 6_371.009, digits: 3 },
  "the airports of Nashville and Los Angeles": {
    from: NASHVILLE_AIRPORT,
    to: LOS_ANGELES_AIRPORT,
    km: 2_887.26,
    radiusKm: 6_372.8,
    digits: 2,
  },
  "Tokyo and London": { from: TOKYO, to: LONDON, km: 9_609, radiusKm: 6_378.1, digits: 0 },
  "Singapore and Chicago, across the date line": {
    from: SINGAPORE,
    to: CHICAGO,
    km: 15_092,
    radiusKm: 6_378.1,
    digits: 0,
  },
  "London and Buenos Aires": { from: LONDON, to: BUENOS_AIRES, km: 11_112, radiusKm: 6_378.1, digits: 0 },
  "New York and London": {
    from: at(40.7128, -74.006),
    to: at(51.5074, -0.1278),
    km: 5_570,
    radiusKm: 6_371,
    digits: 0,
  },
  "Paris and London": {
    from: at(48.8566, 2.3522),
    to: at(51.5074, -0.1278),
    km: 344,
    radiusKm: 6_371,
    digits: 0,
  },
};

for (const [names, { from, to, km, radiusKm, digits }] of Object.entries(PUBLISHED)) {
  test(`${names} are ${km} km apart`, () => {
    for (const measured of [distanceKm(from, to), distanceKm(to, from)])
      assert.equal(((measured * radiusKm) / RADIUS_KM).toFixed(digits), km.toFixed(digits));
  });
}

const SPECIAL: Array<[name: string, from: Location, to: Location, degrees: number]> = [
  ["a place and itself", TOKYO, TOKYO, 0],
  ["both names of the date line", at(10, 180), at(10, -180), 0],
  ["two places at the date line", at(0, 179.5), at(0, -179.5), 1],
  ["all longitudes at the north pole", at(90, 0), at(90, 123), 0],
  ["all longitudes at the south pole", at(-90, -180), at(-90, 45), 0],
  ["two places across a pole", at(89, 0), at(89, 180), 2],
  ["the poles", at(90, 0), at(-90, 77), 180],
  ["the equator and a pole", at(0, -60), at(-90, 60), 90],
  ["opposite places", at(30, 20), at(-30, -160), 180],
  ["opposite places on the equator", at(0, 0), at(0, 180), 180],
];

for (const [name, from, to, degrees] of SPECIAL) {
  test(`measures the distance of ${name}`, () => {
    const expected = (degrees / 180) * Math.PI * RADIUS_KM;
    for (const measured of [distanceKm(from, to), distanceKm(to, from)])
      assert.ok(Math.abs(measured - expected) < 1e-3, `${measured} km`);
  });
}

const anyLocation = fc.record({
  latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, -0, 0, 90)),
  longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, -0, 0, 180)),
});

/** By the angle of two vectors. */
function angleKm(from: Location, to: Location): number {
  const [a, b] = [from, to].map(({ latitude, longitude }) => {
    const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  }) as [number[], number[]];
  const [ax = 0, ay = 0, az = 0] = a;
  const [bx = 0, by = 0, bz = 0] = b;
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return RADIUS_KM * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

test("agrees with the angle between vectors everywhere", () => {
  fc.assert(
    fc.property(anyLocation, anyLocation, (from, to) => {
      const measured = distanceKm(from, to);
      assert.ok(Math.abs(measured - angleKm(from, to)) < 1e-3, `${measured} km`);
    }),
  );
});

test("the edges of a circle have latitudes that it reaches", () => {
  fc.assert(
    fc.property(anyLocation, anyLocation, (place, centre) => {
      const near = { ...centre, withinKm: distanceKm(place, centre) };
      const [min, max] = latitudesOf(near);
      assert.ok(isNear(place, near));
      assert.ok(place.latitude >= min && place.latitude <= max, `${min} to ${max}`);
    }),
  );
});

test("the edge of a circle belongs to it, and places without a location do not", () => {
  const withinKm = distanceKm(TOKYO, LONDON);
  assert.ok(isNear(TOKYO, { ...LONDON, withinKm }));
  assert.ok(!isNear(TOKYO, { ...LONDON, withinKm: withinKm - 1e-6 }));
  assert.ok(!isNear(undefined, { ...LONDON, withinKm: 1_000 }));
});
