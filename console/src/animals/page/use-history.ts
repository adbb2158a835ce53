// Reads the history of an animal. The service returns the oldest changes first, so a long history is read in parts.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { CallOptions, Change, Int64 } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { useLiveList } from "../../shared/parts/live-list.ts";
import { onEvent, petIdOf } from "../../shared/state/live.ts";
import type { Loaded } from "../../shared/state/loading.ts";
import { loadKeyNames } from "../../shared/state/names.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { ask } from "../../shared/state/session.ts";

/** Requests of the first view. Few animals have more changes. */
const PART_PAGES = 5;
export const PART_CHANGES = PART_PAGES * PAGE_LIMIT_MAX;

interface History {
  changes: Change[];
  hasNewer: boolean;
}

/** The pages that were read. A full page never changes, so it is not read again. */
interface Progress {
  full: Change[];
  /** After the full pages. */
  cursor: string | undefined;
  /** The changes after them, if the end was reached. */
  rest: Change[];
  hasNewer: boolean;
}

const NOTHING: Progress = { full: [], cursor: undefined, rest: [], hasNewer: false };

interface LoadedHistory extends Loaded<History> {
  readNewer: () => Promise<void>;
}

/** `petId` must not change. */
export function useHistory(petId: Int64): LoadedHistory {
  const progress = useRef(NOTHING);
  const isAsked = useRef(false);

  async function read(signal: AbortSignal, retries: number | undefined): Promise<History> {
    const before = progress.current;
    // Events do not read a part that the user has not asked for.
    const mayRead = !before.hasNewer || isAsked.current;
    const after = mayRead ? await readPart(petId, before, { signal, retries }) : before;
    // Otherwise the history has begun anew, and is read again.
    if (progress.current === before) progress.current = after;
    isAsked.current = false;
    const changes = [...after.full, ...after.rest].reverse();
    const isNameless = ({ person }: Change) => person === undefined;
    const keyIds = changes.filter(isNameless).flatMap(({ keyId }) => (keyId === undefined ? [] : [keyId]));
    if (isAllowed("listKeys")) await loadKeyNames(keyIds, signal);
    return { changes, hasNewer: after.hasNewer };
  }

  const loaded = useLiveList(read, [], {
    kinds: ["pet", "order", "listing"],
    isRelevant: (event) => petIdOf(event) === String(petId),
  });
  const forgetIfReset = (event: unknown) => {
    // A new object, so that a running read does not keep what it finds.
    if (event === undefined) progress.current = { ...NOTHING };
  };
  // A layout effect runs before the first read starts.
  useLayoutEffect(() => onEvent(forgetIfReset), []);

  function readNewer(): Promise<void> {
    isAsked.current = true;
    return loaded.reload();
  }

  return { ...loaded, readNewer };
}

function readPart(petId: Int64, { full, cursor }: Progress, options: CallOptions): Promise<Progress> {
  return ask(async (client) => {
    let read: Progress = { full, cursor, rest: [], hasNewer: true };
    for (let pages = 0; pages < PART_PAGES; pages++) {
      const query = { limit: PAGE_LIMIT_MAX, cursor: read.cursor };
      const { items, next } = await client.listPetHistory(petId, query, options).page();
      if (next === undefined) return { ...read, rest: items, hasNewer: false };
      read = { ...read, full: [...read.full, ...items], cursor: next };
    }
    return read;
  });
}
