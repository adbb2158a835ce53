// The fields of a person: name, access, and the shelter where there are several.

import { type Signal, useSignal } from "@preact/signals";
import type { Access, Int64, Person, PersonPatch } from "../../../client/src/client.ts";
import { PERSON_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Choice, NameField } from "../shared/parts/field.tsx";
import { hasSeveralShelters, shelterChoices } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { accessChoices } from "./people-words.ts";

interface PersonFieldsProps {
  person?: Pick<Person, "name" | "access" | "shelterId">;
  access: Signal<Access>;
}

export function PersonFields({ person, access }: PersonFieldsProps) {
  const shelter = useSignal(String(person?.shelterId ?? ""));
  const isOfOneShelter = person?.shelterId !== undefined;
  return (
    <>
      <NameField name="name" maxLength={PERSON_NAME_MAX} defaultValue={person?.name ?? ""} />
      <Choice
        label={t().keys.access}
        name="access"
        choices={accessChoices()}
        value={access.value}
        onChange={(event) => (access.value = event.currentTarget.value as Access)}
      />
      {access.value !== "admin" && (hasSeveralShelters() || isOfOneShelter) && (
        <Choice
          label={t().shelters.one}
          name="shelter"
          choices={[["", t().shelters.network], ...shelterChoices(person?.shelterId)]}
          value={shelter.value}
          onChange={(event) => (shelter.value = event.currentTarget.value)}
          hint={later().people.shelterHint}
        />
      )}
    </>
  );
}

interface Settings {
  name: string;
  access: Access;
  shelterId: Int64 | undefined;
}

export function readSettings(fields: FormData): Settings {
  const shelter = String(fields.get("shelter") ?? "");
  return {
    name: String(fields.get("name")).trim(),
    access: String(fields.get("access")) as Access,
    shelterId: shelter === "" ? undefined : BigInt(shelter),
  };
}

/** Only what was changed. Without a field for the shelter, only a person who becomes an admin loses it. */
export function findChanges(before: Person, fields: FormData): PersonPatch {
  const { name, access, shelterId } = readSettings(fields);
  const hasChoice = fields.has("shelter") || access === "admin";
  return {
    ...(name !== before.name && { name }),
    ...(access !== before.access && { access }),
    ...(hasChoice && String(shelterId) !== String(before.shelterId) && { shelterId: shelterId ?? null }),
  };
}
