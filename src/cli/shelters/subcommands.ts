// The subcommands of `shelters`.

import { withStores } from "../../command-stores.ts";
import { readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import {
  describeShelter,
  type NewShelter,
  type Shelter,
  type ShelterOrigin,
  type ShelterStore,
} from "../../domain/shelters/shelter.ts";
import { exactJson } from "../../tools/exact-json.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { defineOn, missingOptions, readFlags, SWITCH, UsageError } from "../command.ts";
import { print, printJson, printList } from "../output.ts";
import { printShelter, SHELTER_COLUMNS } from "./printing.ts";
import { joinDegrees, readSettings, SETTINGS, toChanges } from "./settings.ts";

const JSON_FLAG = { json: SWITCH };

const onShelter = defineOn("shelter", withShelters);

const update = onShelter(
  { ...SETTINGS, ...JSON_FLAG },
  async (id, flags, shelters) => {
    const given = await readSettings(flags);
    const before = found(await shelters.find(id));
    const isUnchanged = (current: Shelter) => exactJson(current) === exactJson(before);
    const changed = shelters.update(id, toChanges(before, given), originOf("shelters update"), isUnchanged);
    printShelter(found(await changed.catch(explainRace)), flags.json);
  },
  ({ json: _, ...settings }) => {
    if (Object.values(settings).every((value) => value === undefined))
      throw new UsageError("There is nothing to change: give at least one member.");
  },
);

export const SUBCOMMANDS = {
  async list(args: string[]): Promise<void> {
    const { flags } = readFlags(args, JSON_FLAG);
    await withShelters((shelters) => {
      const readPage = async (limit: number, last?: { id: bigint }) =>
        (await shelters.list({}, { limit, after: last?.id })).map(describeShelter);
      return printList({ columns: SHELTER_COLUMNS, empty: "There are no shelters.", readPage }, flags.json);
    });
  },

  show: onShelter(JSON_FLAG, async (id, { json }, shelters) => {
    printShelter(found(await shelters.find(id)), json);
  }),

  async create(args: string[]): Promise<void> {
    const { flags } = readFlags(joinDegrees(args), { ...SETTINGS, ...JSON_FLAG });
    if (flags.name === undefined) throw missingOptions({ name: flags.name });
    const members = Object.entries(toChanges({}, await readSettings(flags)));
    const shelter = Object.fromEntries(members.filter(([, value]) => value !== null));
    await withShelters(async (shelters) =>
      printShelter(
        await shelters.create(shelter as unknown as NewShelter, originOf("shelters create")),
        flags.json,
      ),
    );
  },

  update: (args: string[]) => update(joinDegrees(args)),

  delete: onShelter(JSON_FLAG, async (id, { json }, shelters) => {
    if (!(await shelters.delete(id, originOf("shelters delete"))))
      throw new ServiceError("shelter_not_found");
    if (json) printJson({ id });
    else print(`Shelter ${id} is deleted.`);
  }),
};

async function withShelters(work: (shelters: ShelterStore) => Promise<void>): Promise<void> {
  await withStores(readConfig(), ({ stores }) => work(stores.shelters));
}

function originOf(command: string): ShelterOrigin {
  return { actor: { command }, atMs: systemClock.nowMs(), access: "admin" };
}

function found(shelter: Shelter | undefined): Shelter {
  if (shelter === undefined) throw new ServiceError("shelter_not_found");
  return shelter;
}

/** An address changes as a whole, so a change of one part must not undo another change. */
function explainRace(error: unknown): never {
  const isRace = error instanceof ServiceError && error.code === "precondition_failed";
  throw isRace
    ? new OperatorError("The shelter was changed at the same time. Run the command again.")
    : error;
}
