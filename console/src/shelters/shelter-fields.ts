// A shelter as the text fields of a form, and the changes that a form makes to it.

import type { NewShelter, Shelter, ShelterPatch } from "../../../client/src/client.ts";

const TEXTS = ["about", "email", "phone", "website", "adoptUrl", "openingHours"] as const;
const ADDRESS = ["street", "postalCode", "city", "region", "country"] as const;
const LOCATION = ["latitude", "longitude"] as const;
const FIELD_NAMES = ["name", ...TEXTS, ...ADDRESS, ...LOCATION] as const;

export type FieldName = (typeof FIELD_NAMES)[number];
/** The empty text stands for a member that the shelter does not have. */
export type ShelterFields = Record<FieldName, string>;

export function toFields(shelter: NewShelter): ShelterFields {
  const values: Partial<Record<FieldName, unknown>> = { ...shelter, ...shelter.address, ...shelter.location };
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, String(values[name] ?? "")])) as ShelterFields;
}

/** Only what was changed: the service keeps the rest. */
export function toPatch(before: ShelterFields, after: ShelterFields): ShelterPatch {
  // Spaces and line feeds at the ends of an untouched text stay.
  const isChanged = (name: FieldName) => ![after[name], after[name].trim()].includes(before[name]);
  const patch: ShelterPatch = isChanged("name") ? { name: after.name } : {};
  for (const name of TEXTS) if (isChanged(name)) patch[name] = after[name].trim() || null;
  if (ADDRESS.some(isChanged)) patch.address = toAddress(after);
  if (LOCATION.some(isChanged)) patch.location = toLocation(after);
  return patch;
}

function toAddress(fields: ShelterFields): Shelter["address"] | null {
  const given = ADDRESS.map((name) => [name, fields[name].trim()] as const).filter(([, text]) => text !== "");
  if (given.length === 0) return null;
  const address = Object.fromEntries(given);
  return { ...address, ...(address.country && { country: address.country.toUpperCase() }) };
}

function toLocation({ latitude, longitude }: ShelterFields): Shelter["location"] | null {
  return latitude === "" ? null : { latitude: Number(latitude), longitude: Number(longitude) };
}

interface Merged {
  draft: ShelterFields;
  /** Fields that both sides have changed, differently. The draft keeps the value of the form. */
  conflicts: FieldName[];
}

/** Shows the values that others have stored, except where something else was typed. */
export function mergeFields(base: ShelterFields, draft: ShelterFields, fresh: ShelterFields): Merged {
  const isMine = (name: FieldName) => draft[name] !== base[name];
  const isTheirs = (name: FieldName) => fresh[name] !== base[name] && fresh[name] !== draft[name];
  const values = FIELD_NAMES.map((name) => [name, isMine(name) ? draft[name] : fresh[name]]);
  return {
    draft: Object.fromEntries(values) as ShelterFields,
    conflicts: FIELD_NAMES.filter((name) => isMine(name) && isTheirs(name)),
  };
}

/** Both numbers from a text such as "52.52, 13.405", as map services copy them. */
export function readCoordinates(text: string): Pick<ShelterFields, "latitude" | "longitude"> | undefined {
  const [, latitude, longitude] = /^(-?\d{1,3}\.\d{1,20}),\s?(-?\d{1,3}\.\d{1,20})$/.exec(text.trim()) ?? [];
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}
