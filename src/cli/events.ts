// `events`: prints the changes of the store, and follows them.

import { withStores } from "../command-stores.ts";
import { readConfig } from "../config/config.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import {
  EVENT_TYPES,
  type EventCursor,
  type EventSource,
  type EventStore,
  type EventType,
  eventDataJson,
  eventJson,
  parseEventTypes,
  type StoredEvent,
} from "../domain/events/event.ts";
import { EVENT_WORDS } from "../domain/webhooks/webhook.ts";
import { COMMAND } from "../tools/program.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";
import { type Command, readChoice, readCursor, readFlags, SWITCH, TEXT } from "./command.ts";
import { createTable, print, type TableRow, untilRead, wrapWords } from "./output.ts";

const SHOWN = 20n;
const PAGE_SIZE = 500;
const WAIT_MS = 60_000;

export const command: Command = {
  help: `Usage: ${COMMAND} events [--follow] [--after CURSOR] [--types T] [--json]

Prints the last ${SHOWN} changes of animals, orders and categories, oldest first. Reads the database directly.

  --follow    then print every further change, until it is interrupted
  --after     start after this cursor of GET /v1/events; now: print only further changes
  --types     separated by commas (default: all):
              ${wrapWords(EVENT_WORDS, 14)}
  --json      print one JSON object per line, as GET /v1/events returns them`,
  async run(args) {
    const { flags } = readFlags(args, { follow: SWITCH, after: TEXT, types: TEXT, json: SWITCH });
    const types = readTypes(flags.types);
    const start =
      flags.after === undefined || flags.after === "now" ? flags.after : readCursor("--after", flags.after);
    const config = readConfig();
    await withStores(config, async ({ stores }) => {
      const printEvents = flags.json ? printLines : createEventTable();
      let position = await findStart(stores.events, start);
      for (;;) {
        const page = await stores.events.read(position, { types }, PAGE_SIZE);
        // Without PUBLIC_URL, only the service knows its address.
        const source = { epoch: page.epoch, publicUrl: config.publicUrl ?? "" };
        if (page.events.length > 0) printEvents(page.events, source);
        await untilRead();
        position = { epoch: page.epoch, number: page.examined };
        if (page.examined < page.newest) continue;
        if (!flags.follow) return;
        await stores.changes.wait(page.newest, WAIT_MS, NEVER);
      }
    });
  },
};

/** A signal ends the process. */
const NEVER = new AbortController().signal;

function readTypes(text: string | undefined): readonly EventType[] {
  if (text === undefined) return EVENT_TYPES;
  return parseEventTypes(
    text
      .split(",")
      .map((word) => readChoice("--types", word, EVENT_WORDS))
      .join(","),
  );
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

function createEventTable(): typeof printLines {
  const printRows = createTable();
  return (events, source) => printRows(events.map((event) => toRow(event, source)));
}

function toRow(event: StoredEvent, { publicUrl }: EventSource): TableRow {
  const { number, atMs, type } = event;
  return {
    NUMBER: String(number),
    TIME: new Date(atMs).toISOString(),
    TYPE: type,
    CHANGE: escapeUnsafe(eventDataJson(event, publicUrl)),
  };
}
