// The members of an animal in words, for forms, conflicts and the history.

import { categoryName } from "../../shared/state/category-names.ts";
import { formatDay } from "../../shared/state/format.ts";
import { findIdentifier } from "../../shared/state/identifier.ts";
import { t } from "../../shared/texts/language.ts";
import type { FieldName, MemberName, ProfileFields } from "./profile-fields.ts";
import { ANSWERS } from "./sections.ts";

export function labelOf(field: FieldName): string {
  if (field === "name") return t().common.name;
  return field === "categoryId" ? t().common.category : t().profile[field];
}

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
  if (member === "categoryId") return categoryName(findIdentifier(value) ?? 0) ?? value;
  if (isAnswer(member)) return t().yesNo[value as keyof ReturnType<typeof t>["yesNo"]] ?? value;
  return words[member]?.[value] ?? value;
}

function isAnswer(member: MemberName): boolean {
  return ANSWERS.some((answer) => answer === member);
}
