// The words of the audit log: changed members with their values.

import type { AuditState, Int64 } from "../../../client/src/client.ts";
import { capitalise, formatCount, formatMoment } from "../shared/state/format.ts";
import { personName } from "../shared/state/names.ts";
import { shelterName } from "../shared/state/shelter-list.ts";
import { LANGUAGES, t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

interface Member {
  format?: (value: never) => string;
  /** Shown for null. */
  none?: () => string;
}

const showStart = (value: string) => `${value}…`;
const showId = (id: Int64) => String(id);
/** A word that this version does not know is shown as it is. */
const showWord = (words: () => Record<string, string>) => (value: string) => words()[value] ?? value;
const asInPlan = () => later().audit.asInPlan;

const MEMBERS: Record<keyof AuditState, Member> = {
  name: {},
  personId: { format: (id: Int64) => personName(id) ?? later().audit.person(String(id)) },
  kind: { format: showWord(() => later().publishable.kinds) },
  plan: { format: capitalise },
  access: { format: showWord(() => t().keys.levels) },
  perMinute: { format: formatCount, none: asInPlan },
  perDay: { format: formatCount, none: asInPlan },
  expiresAt: { format: formatMoment, none: () => t().time.never },
  allowedOrigins: { format: (origins: string[]) => origins.join(", ") },
  hint: { format: showStart },
  oldEndsAt: { format: formatMoment },
  state: { format: showWord(() => t().keys.states) },
  bannedUntil: { format: formatMoment },
  url: {},
  types: { format: (types: string[]) => types.map(showType).join(", "), none: () => later().audit.all },
  description: {},
  status: { format: showWord(statusWords) },
  disabledReason: { format: showWord(() => later().webhooks.offBecause) },
  shelterId: { format: shelterName, none: () => t().shelters.network },
  about: {},
  email: {},
  phone: {},
  website: {},
  adoptUrl: {},
  address: { format: showValues },
  location: { format: showValues },
  openingHours: {},
  isPublic: { format: (isPublic: boolean) => later().site.states[isPublic ? "open" : "closed"] },
  title: {},
  introduction: {},
  language: { format: showWord(() => LANGUAGES) },
  accent: {},
  pets: { format: formatCount },
  firstId: { format: showId },
  lastId: { format: showId },
  updated: { format: formatCount },
  store: {},
};

/** Webhooks, people and invitations have different ones. */
function statusWords(): Record<string, string> {
  const { states, invitationStates } = later().people;
  return { ...later().webhooks.states, ...invitationStates, ...states };
}

function showValues(members: object): string {
  return Object.values(members).join(", ");
}

function showType(word: string): string {
  const labels: Record<string, string> = later().webhooks.types;
  return labels[word] ?? word;
}

export interface ChangeWords {
  /** Undefined for a member of a newer service. */
  member: keyof AuditState | undefined;
  label: string;
  /** Undefined if the member is new. */
  before: string | undefined;
  after: string;
}

/** Changed members in the order of the table above; members of a newer service by their own names. */
export function describeChanges(from: AuditState | undefined, to: AuditState | undefined): ChangeWords[] {
  const given = new Set(Object.keys({ ...from, ...to }));
  const known = Object.keys(MEMBERS).filter((name) => given.has(name));
  const names = [...new Set([...known, ...given])] as Array<keyof AuditState>;
  const { fields, one, address, coordinates } = t().shelters;
  const ofShelters = { ...fields, shelterId: one, address, location: coordinates };
  const labels: Record<keyof AuditState, string> = { ...ofShelters, ...later().audit.members };
  return names.map((name) => {
    const member: Member = MEMBERS[name] ?? {};
    const before = from?.[name];
    return {
      member: name in MEMBERS ? name : undefined,
      label: labels[name] ?? name,
      before: before === undefined ? undefined : describe(member, before),
      after: describe(member, to?.[name]),
    };
  });
}

function describe({ format, none }: Member, value: unknown): string {
  if (value === undefined || value === null || value === "") return none?.() ?? t().common.none;
  return format === undefined ? String(value) : format(value as never);
}
