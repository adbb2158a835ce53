// The values of a profile in words, for conflicts and for the history.

import { formatDay } from "../../shared/state/format.ts";
import { t } from "../../shared/texts/language.ts";
import type { MemberName, ProfileFields } from "./profile-fields.ts";

export function describeMember(member: MemberName, fields: ProfileFields): string {
  return fields[member] === "" ? t().profile.notStated : describeValue(member, fields);
}

function describeValue(member: MemberName, fields: ProfileFields): string {
  const value = fields[member];
  const words: Partial<Record<MemberName, Record<string, string>>> = {
    species: t().species,
    sex: t().sex,
    size: t().size,
    coat: t().coat,
    mixed: { true: t().yesNo.yes, false: t().yesNo.no },
    bornIsEstimated: { true: t().yesNo.yes },
  };
  if (member === "bornOn" || member === "arrivedOn") return formatDay(value);
  if (member === "feeAmount") return `${value} ${fields.feeCurrency}`;
  if (isAnswer(member)) return t().yesNo[value as keyof ReturnType<typeof t>["yesNo"]] ?? value;
  return words[member]?.[value] ?? value;
}

export const ANSWERS = [
  "goodWithChildren",
  "goodWithDogs",
  "goodWithCats",
  "neutered",
  "vaccinated",
  "houseTrained",
  "specialNeeds",
] as const;

function isAnswer(member: MemberName): boolean {
  return ANSWERS.some((answer) => answer === member);
}
