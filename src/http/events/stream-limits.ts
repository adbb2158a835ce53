// Limits the streams and waiting polls of a node, for one key and in all.

import { ServiceError } from "../../domain/basics/errors.ts";
import { STREAMS_PER_KEY } from "../../domain/basics/request-limits.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Metrics } from "../observe/metrics.ts";

const STREAMS_MAX = 1_000;
const RETRY_SECONDS = 30;

export interface StreamLimits {
  /** Counts a stream or a waiting poll until the returned function is called. Throws `too_many_streams`, `unavailable`. */
  take(key: ApiKey): () => void;
  countOf(keyId: bigint): number;
}

export function createStreamLimits({ metrics }: { metrics: Metrics }): StreamLimits {
  const counts = new Map<bigint, number>();
  let total = 0;

  function count(id: bigint, change: 1 | -1): void {
    total += change;
    metrics.setOpenStreams(total);
    const ofKey = (counts.get(id) ?? 0) + change;
    if (ofKey === 0) counts.delete(id);
    else counts.set(id, ofKey);
  }

  return {
    take({ id }) {
      if ((counts.get(id) ?? 0) >= STREAMS_PER_KEY)
        throw new ServiceError("too_many_streams", { retryAfterSeconds: RETRY_SECONDS });
      if (total >= STREAMS_MAX)
        throw new ServiceError("unavailable", {
          message: `This node has ${STREAMS_MAX} open streams and waiting requests, which is its limit. Retry later, or use listEvents without wait.`,
          retryAfterSeconds: RETRY_SECONDS,
        });
      count(id, 1);
      let isTaken = true;
      return () => {
        if (isTaken) count(id, -1);
        isTaken = false;
      };
    },
    countOf: (keyId) => counts.get(keyId) ?? 0,
  };
}
