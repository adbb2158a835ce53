// Checks that the bare server sent responses as long as those of the service during the rounds too.

import type { Sample } from "../results.ts";

/** Ids, names and remaining counts differ in length between two requests. A wrong response differs by much more. */
const TOLERANCE = 0.05;

/** Marks the samples of the bare server as invalid whose responses have another mean length. */
export function markUnequalBytes(samples: Sample[]): Sample[] {
  return samples.map((sample) => {
    const { lane, round, fault, bytesPerResponse } = sample;
    const service = samples.find((other) => other.lane === "service" && other.round === round);
    if (lane !== "bare" || fault !== undefined || service === undefined || service.fault !== undefined)
      return sample;
    if (Math.abs(bytesPerResponse / service.bytesPerResponse - 1) <= TOLERANCE) return sample;
    const [own, wanted] = [bytesPerResponse, service.bytesPerResponse].map((bytes) => bytes.toFixed(0));
    return { ...sample, fault: `${own} bytes per response, the service sent ${wanted}` };
  });
}
