// `events`: prints the changes of the store, and follows them.

import { withStores } from "../command-stores.ts";
import { readConfig } from "../config/config.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import {
  EVENT_TYPES,
  type EventSource,
  type EventStore,
  type EventType,
  eventDataJson,
  eventJson,
  parseEventTypes,
  type StoredEvent,
} from "../domain/events/event.ts";
import type { EventCursor } from "../domain/events/event-cursor.ts";
import { EVENT_WORDS } from "../domain/webhooks/webhook.ts";
import { COMMAND } from "../tools/program.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";
import { defineCommand, option, readChoice, readStart, SWITCH } from "./command.ts";
import { createTable, print, showTime, untilRead, wrapWords } from "./output.ts";

const SHOWN = 20n;
const PAGE_SIZE = 500;
const WAIT_MS = 60_000;
/** A signal ends the process. */
const NEVER = new AbortController().signal;

export const command = defineCommand({
  help: `Usage: ${COMMAND} events [--follow] [--after CURSOR] [--types T] [--json]

Prints the last ${SHOWN} changes of animals, orders and categories, oldest first. Reads the database directly.

  --follow    then print every further change, until it is interrupted
  --after     start after this cursor of GET /v1/events; now: print only further changes
  --types     separated by commas (default: all):
              ${wrapWords(EVENT_WORDS, 14)}
  --json      print one JSON object per line, as GET /v1/events returns them`,
  options: { follow: SWITCH, types: option(readTypes), after: option(readStart), json: SWITCH },
  async run({ follow, types = EVENT_TYPES, after, json }) {
    const config = readConfig();
    // Without PUBLIC_URL, only the service knows its address.
    const { publicUrl = "" } = config;
    await withStores(config, async ({ stores }) => {
      const printEvents = json ? printLines : createEventTable(publicUrl);
      let position = await findStart(stores.events, after);
      for (;;) {
        const { epoch, events, examined, newest } = await stores.events.read(position, { types }, PAGE_SIZE);
        if (events.length > 0) printEvents(events, { epoch, publicUrl });
        await untilRead();
        position = { epoch, number: examined };
        if (examined < newest) continue;
        if (!follow) return;
        await stores.changes.wait(newest, WAIT_MS, NEVER);
      }
    });
  },
});

function readTypes(text: string, flag: string): readonly EventType[] {
  const words = text.split(",").map((word) => readChoice(flag, word, EVENT_WORDS));
  return parseEventTypes(words.join(","));
}

async function findStart(
  store: EventStore,
  start: EventCursor | "now" | undefined,
): Promise<EventCursor | "oldest"> {
  if (start !== undefined && start !== "now") return start;
  const newest = await store.newest();
  if (start === "now") return newest;
  const last = { ...newest, number: newest.number > SHOWN ? newest.number - SHOWN : 0n };
  // Fewer may be kept.
  return store.read(last, { types: [] }, 1).then(
    () => last,
    (error) => {
      if (error instanceof ServiceError && error.code === "feed_reset") return "oldest";
      throw error;
    },
  );
}

function printLines(events: StoredEvent[], source: EventSource): void {
  print(events.map((event) => eventJson(event, source)).join("\n"));
}

function createEventTable(publicUrl: string): (events: StoredEvent[]) => void {
  return createTable({
    NUMBER: ({ number }) => String(number),
    TIME: ({ atMs }) => showTime(new Date(atMs)),
    TYPE: ({ type }) => type,
    CHANGE: (event) => escapeUnsafe(eventDataJson(event, publicUrl)),
  });
}
