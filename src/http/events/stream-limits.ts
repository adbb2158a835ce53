// How many streams may be open on the node: for one key, and in all.

import { ServiceError } from "../../domain/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { STREAMS_PER_KEY } from "../../domain/request-limits.ts";
import type { Metrics } from "../observe/metrics.ts";

const STREAMS_MAX = 1_000;
const RETRY_SECONDS = 30;

export interface StreamLimits {
  /** Throws `too_many_streams` or `unavailable`. */
  requireRoom(key: ApiKey): void;
  /** A stream of the key was opened or closed. */
  count(key: ApiKey, change: 1 | -1): void;
  /** The open streams of a key on this node. */
  countOf(keyId: bigint): number;
}

export function createStreamLimits({ metrics }: { metrics: Metrics }): StreamLimits {
  const counts = new Map<bigint, number>();
  let total = 0;
  return {
    requireRoom({ id }) {
      if ((counts.get(id) ?? 0) >= STREAMS_PER_KEY)
        throw new ServiceError("too_many_streams", { retryAfterSeconds: RETRY_SECONDS });
      if (total >= STREAMS_MAX)
        throw new ServiceError("unavailable", {
          message: `This node has ${STREAMS_MAX} open streams, which is its limit. Retry later, or use listEvents.`,
          retryAfterSeconds: RETRY_SECONDS,
        });
    },
    count({ id }, change) {
      total += change;
      metrics.setOpenStreams(total);
      const ofKey = (counts.get(id) ?? 0) + change;
      if (ofKey === 0) counts.delete(id);
      else counts.set(id, ofKey);
    },
    countOf: (keyId) => counts.get(keyId) ?? 0,
  };
}
