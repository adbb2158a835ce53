// Photos that failed to load. One request finds out why for all of them; they are loaded again when the reason has passed.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isVisible } from "./live.ts";
import { nowMs } from "./now.ts";
import { until } from "./until.ts";

/** Between requests during an outage: it doubles from the first to the longest. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

interface BrokenPhoto {
  address: string;
  /** `hasArrived` if the file of this photo was received: then nothing but the file can be wrong. */
  load: (hasArrived: boolean) => void;
}

/** Those that are shown and may load later. */
const broken = new Set<BrokenPhoto>();
/** While there are such photos. Aborted when the last one is no longer shown. */
let recovery: AbortController | undefined;

/** While `isBroken` is true, the image must not be rendered: it is loaded when it is rendered again. */
export function usePhoto(address: string): { isBroken: boolean; onError: () => void } {
  const failed = useSignal<string | undefined>(undefined);
  const arrived = useRef<string | undefined>(undefined);
  const isBroken = failed.value === address;
  useLayoutEffect(() => {
    if (!isBroken || arrived.current === address) return undefined;
    return report({
      address,
      load(hasArrived) {
        if (hasArrived) arrived.current = address;
        failed.value = undefined;
      },
    });
  }, [address, isBroken]);
  return { isBroken, onError: () => (failed.value = address) };
}

function report(photo: BrokenPhoto): () => void {
  broken.add(photo);
  if (recovery === undefined) {
    recovery = new AbortController();
    void recover(recovery.signal);
  }
  return () => remove(photo);
}

function remove(photo: BrokenPhoto): void {
  broken.delete(photo);
  if (broken.size > 0) return;
  recovery?.abort();
  recovery = undefined;
}

/** Never rejects. */
async function recover(signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  for (let [first] = broken; first !== undefined && !signal.aborted; [first] = broken) {
    const { address } = first;
    const response = await request(address, signal);
    if (signal.aborted) return;
    const isPassing = response === undefined || response.status === 429 || response.status >= 500;
    if (isPassing) {
      const endMs = Date.now() + (retryAfterMs(response) ?? pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      // A page in the background leaves the budget of its network address to others.
      await until(() => isVisible.value && nowMs.value >= endMs, signal);
    } else {
      for (const photo of [...broken]) {
        if (response.ok) photo.load(photo.address === address);
        if (response.ok || photo.address === address) remove(photo);
      }
    }
  }
}

/** Undefined without a response. Reads all of it, so that the cache has it for the image. */
async function request(address: string, signal: AbortSignal): Promise<Response | undefined> {
  try {
    const response = await fetch(address, { signal });
    await response.arrayBuffer();
    return response;
  } catch {
    return undefined;
  }
}

function retryAfterMs(response: Response | undefined): number | undefined {
  const seconds = Number(response?.headers.get("retry-after") ?? undefined);
  return Number.isNaN(seconds) ? undefined : seconds * 1_000;
}
