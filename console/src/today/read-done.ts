// What colleagues did last. Events name no person, so the newest ones say which animals have changed, and the histories of
// these animals say who did it.

import {
  type CallOptions,
  type Change,
  type Event,
  FeedResetError,
  type Int64,
  type Listing,
} from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { describeChange } from "../animals/page/history-words.ts";
import { readByIds } from "../shared/state/animals-query.ts";
import { petIdOf } from "../shared/state/live.ts";
import { hrefOf } from "../shared/state/place.ts";
import { hasSpareRequests } from "../shared/state/rate-now.ts";
import { ask, session } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import type { Sentence } from "../shared/texts/say.ts";
import { SHOWN } from "./read-today.ts";

/** The newest changes among which those of colleagues are looked for. */
const LOOKED_AT = PAGE_LIMIT_MAX;
const TYPES = "pet.*,order.*,listing.updated";
/** Animals whose histories are read at most. */
const ANIMALS_MAX = 2 * SHOWN;
/** An animal with a longer history is left out: the service returns the oldest changes first. */
const PAGES_MAX = 3;

export interface Done {
  petId: Int64;
  /** Absent if the animal was deleted. */
  listing: Listing | undefined;
  name: string;
  at: string;
  href: string;
  /** In the language of the moment. */
  describe: () => Sentence;
}

/** The newest change of each animal. The first read needs up to 14 requests, a later one only the histories that have grown. */
export function createDoneReader(): (options: CallOptions) => Promise<{ items: Done[] }> {
  let known = new Map<string, { newest: string; history: Change[] }>();

  async function readHistory(petId: string, newest: string, options: CallOptions): Promise<Change[]> {
    const before = known.get(petId);
    if (before?.newest === newest) return before.history;
    const history = await readWholeHistory(petId, options);
    known.set(petId, { newest, history });
    return history;
  }

  return async (options) => {
    const events = await readNewestEvents(options);
    const since = events[0]?.number ?? 0;
    /** The newest number of each animal; what changed last comes first. */
    const changed = new Map<string, string>();
    for (const event of events.toReversed()) {
      const petId = petIdOf(event);
      if (petId !== undefined && !changed.has(petId)) changed.set(petId, String(event.number));
    }
    known = new Map([...known].filter(([petId]) => changed.has(petId)));
    const asked = [...changed].slice(0, ANIMALS_MAX);
    const found: Array<{ change: Change; history: Change[] }> = [];
    for (let start = 0; start < asked.length && found.length < SHOWN; start += SHOWN) {
      if (start > 0 && !hasSpareRequests()) break;
      const part = asked.slice(start, start + SHOWN);
      const histories = await Promise.all(part.map(([id, newest]) => readHistory(id, newest, options)));
      for (const history of histories) {
        const change = history.findLast((each) => each.number >= since && isByColleague(each));
        if (change !== undefined) found.push({ change, history });
      }
    }
    const ids = found.map(({ change }) => String(change.petId));
    const listings = await readByIds(ids, { status: "any" }, options);
    const items = found
      .toSorted((a, b) => Number(b.change.number) - Number(a.change.number))
      .slice(0, SHOWN)
      .map(({ change, history }) => {
        const listing = listings.find(({ id }) => String(id) === String(change.petId));
        return toDone(change, listing, history);
      });
    return { items };
  };
}

/** A key that belongs to nobody is a program, and has no name that everyone may read. */
function isByColleague({ person }: Change): boolean {
  return person !== undefined && String(person.id) !== String(session.peek()?.person?.id);
}

function readNewestEvents(options: CallOptions): Promise<Event[]> {
  return ask(async (client) => {
    const query = { type: TYPES, limit: LOOKED_AT };
    const after = stepBack(await client.latestCursor(options));
    try {
      return (await client.listEvents({ ...query, after }, options)) as Event[];
    } catch (error) {
      if (!(error instanceof FeedResetError)) throw error;
      // So few are kept that the oldest ones are among the newest.
      return (await client.listEvents(query, options)) as Event[];
    }
  });
}

/** A cursor is the epoch and the number of an event. Undefined if there are fewer events. */
function stepBack(cursor: string): string | undefined {
  const mark = cursor.lastIndexOf("-");
  const number = BigInt(cursor.slice(mark + 1)) - BigInt(LOOKED_AT);
  return number <= 0n ? undefined : `${cursor.slice(0, mark)}-${number}`;
}

/** Empty for a history that is too long. */
function readWholeHistory(petId: string, options: CallOptions): Promise<Change[]> {
  return ask(async (client) => {
    const history: Change[] = [];
    let pages = 0;
    for await (const { items, next } of client
      .listPetHistory(BigInt(petId), { limit: PAGE_LIMIT_MAX }, options)
      .pages()) {
      history.push(...items);
      pages += 1;
      if (pages === PAGES_MAX && next !== undefined) return [];
    }
    return history;
  });
}

function toDone(change: Change, listing: Listing | undefined, history: Change[]): Done {
  const { petId, at, what, person } = change;
  const id = String(petId);
  const last = history.findLast(({ from, to }) => (to?.name ?? from?.name) !== undefined);
  return {
    petId,
    listing,
    name: listing?.name ?? last?.to?.name ?? last?.from?.name ?? t().common.numbered(id),
    at,
    href: what.startsWith("order.") ? hrefOf("orders", undefined, { petId: id }) : hrefOf("animals", id),
    describe: () => describeChange(change, person?.name),
  };
}
