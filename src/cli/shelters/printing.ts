// Prints a shelter for people or as JSON.

import { describeShelter, type Shelter } from "../../domain/shelters/shelter.ts";
import { escapeUnsafe } from "../../tools/shown-text.ts";
import { type Columns, printJson, printProperties, showTime } from "../output.ts";

export const SHELTER_COLUMNS: Columns<ReturnType<typeof describeShelter>> = {
  ID: ({ id }) => String(id),
  NAME: ({ name }) => escapeUnsafe(name),
  CITY: ({ address }) => escapeUnsafe(address?.city ?? ""),
  EMAIL: ({ email = "" }) => escapeUnsafe(email),
  PHONE: ({ phone = "" }) => escapeUnsafe(phone),
};

export function printShelter(shelter: Shelter, asJson: boolean): void {
  const described = describeShelter(shelter);
  if (asJson) {
    printJson(described);
    return;
  }
  const {
    id,
    name,
    about,
    email,
    phone,
    website,
    adoptUrl,
    address = {},
    location,
    openingHours,
  } = described;
  const { street, postalCode, city, region, country } = address;
  const town = [postalCode, city].filter((part) => part !== undefined).join(" ");
  const properties = {
    id: String(id),
    name,
    about,
    email,
    phone,
    website,
    "adopt at": adoptUrl,
    address: [street, town, region, country].filter(Boolean).join(", "),
    location: location && `${location.latitude}, ${location.longitude}`,
    "opening hours": openingHours,
    created: showTime(described.createdAt),
    changed: showTime(described.updatedAt),
  };
  const present = Object.entries(properties).filter(([, value]) => value !== undefined && value !== "");
  printProperties(Object.fromEntries(present.map(([title, value = ""]) => [title, escapeLines(value)])));
}

function escapeLines(text: string): string {
  return text.split("\n").map(escapeUnsafe).join("\n");
}
