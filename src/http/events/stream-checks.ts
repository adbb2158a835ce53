// Ends streams that are old enough, and streams and polls whose key is no longer valid, or has another access or shelter.

import { ServiceError } from "../../domain/basics/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { HttpServices } from "../services.ts";
import type { FeedReader } from "./feed-reader.ts";

export interface CheckedStream {
  key: ApiKey;
  /** The key as the client sent it, to verify it again. */
  secret: string;
  reader: Pick<FeedReader, "end">;
  endsAtMs: number;
}

type Services = Pick<HttpServices, "clock" | "gate" | "keyRing">;

/** Rejects if the database does not answer. */
export async function checkStreams(services: Services, streams: Iterable<CheckedStream>): Promise<void> {
  const nowMs = services.clock.monotonicMs();
  for (const { reader, endsAtMs } of streams) if (nowMs >= endsAtMs) reader.end();
  // One after another: other requests need the database too.
  for (const ofKey of Map.groupBy(streams, ({ secret }) => secret).values())
    await endIfChanged(services, ofKey);
}

/** With another access or shelter, a key may see other events. */
async function endIfChanged(services: Services, ofKey: CheckedStream[]): Promise<void> {
  const [{ key, secret }] = ofKey as [CheckedStream];
  const current = await verifyAgain(services, secret);
  if (current?.access === key.access && current.shelterId === key.shelterId) return;
  const fault = current === undefined ? new ServiceError("invalid_api_key") : undefined;
  for (const { reader } of ofKey) reader.end(fault);
}

/** Undefined for a key that is no longer valid. */
async function verifyAgain({ gate, keyRing }: Services, secret: string): Promise<ApiKey | undefined> {
  const known = keyRing.recall(secret);
  if (known === undefined) return keyRing.verify(secret);
  // Only the gate knows of a change on another node before the cached key is too old.
  const { verdict, versions } = await gate.peek(known);
  if (verdict === "stale") keyRing.renew(known, versions?.key ?? 0);
  return keyRing.verify(secret);
}
