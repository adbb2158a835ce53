// Schemas of response counts, for the service and for one key.

import { PERIOD_NAMES, PERIODS } from "../../domain/usage/periods.ts";
import { KEY_EXAMPLE, keyUsageMembers, USAGE_EXAMPLE } from "./keys.ts";
import { EXAMPLE_TIME, identifier, parameter, Timestamp } from "./members.ts";
import { Type } from "./type.ts";

const PeriodName = Type.Enum(PERIOD_NAMES, {
  title: "PeriodName",
  description: "The length of a period. Hours and days are in UTC.",
});

const most = (name: keyof typeof PERIODS) => PERIODS[name].most;

export const TrafficQuery = Type.Object({
  per: parameter(
    PeriodName,
    "The length of a period. Hours and days are in UTC. Default: `minute`.",
    "minute",
  ),
  last: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most("minute"),
      description: `The number of periods: at most ${most("minute")} minutes, ${most("hour")} hours or ${most("day")} days. Default: ${PERIODS.minute.usual}, ${PERIODS.hour.usual} or ${PERIODS.day.usual}.`,
      examples: [PERIODS.minute.usual],
    }),
  ),
  keyId: Type.Optional(
    identifier("Only responses to this key; 0 is the key in `ADMIN_API_KEY`.", KEY_EXAMPLE.id),
  ),
});

const answerMembers = {
  status: Type.Integer({ description: "The HTTP status.", examples: [200] }),
  count: Type.Integer({ description: "Number of responses with this status.", examples: [12] }),
};

const countsOf = (period: string) => ({
  at: Type.Described(Timestamp, `Start of the ${period}.`),
  answers: Type.Array(Type.Object(answerMembers), {
    description: `In ascending order of status; empty in a ${period} without responses.`,
  }),
});
const COUNTS_EXAMPLE = { at: EXAMPLE_TIME, answers: [{ status: 200, count: 12 }] };

const TrafficMinute = Type.Named(
  "TrafficMinute",
  "The responses of one minute.",
  [COUNTS_EXAMPLE],
  countsOf("minute"),
);

export const TrafficReport = Type.List(
  "Traffic",
  `The responses of the last ${PERIODS.minute.usual} minutes, oldest first.`,
  TrafficMinute,
);

const TrafficPeriod = Type.Named(
  "TrafficPeriod",
  "The responses of one minute, hour or day.",
  [COUNTS_EXAMPLE],
  countsOf("period"),
);

export const TrafficPeriods = Type.List(
  "TrafficPeriods",
  "The responses of the last periods, oldest first.",
  TrafficPeriod,
);

export const KeyUsageQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most("day"),
      default: PERIODS.day.usual,
      description: "The number of days in `lastDays`.",
      examples: [1],
    }),
  ),
});

const OPERATION_COUNTS = { operation: "listPets", status: 200, count: 12 };
const OperationCount = Type.Named(
  "OperationCount",
  "The responses of one operation with one status.",
  [OPERATION_COUNTS],
  {
    operation: Type.String({
      description: "The operation; `unknown` for a path or method that does not exist.",
      examples: [OPERATION_COUNTS.operation],
    }),
    ...answerMembers,
  },
);
const DAY = { at: "2026-11-15T00:00:00.000Z", answers: [OPERATION_COUNTS] };
const UsageDay = Type.Named("UsageDay", "The responses of one day to one key.", [DAY], {
  at: Type.Described(Timestamp, "Start of the day in UTC."),
  answers: Type.Array(OperationCount, {
    description: "In the order of operation and status; empty on a day without responses.",
  }),
});

const KEY_USAGE = { ...USAGE_EXAMPLE, streams: 0, webhooks: 1, lastDays: [DAY] };
export const KeyUsage = Type.Named("KeyUsage", "The usage of a key.", [KEY_USAGE], {
  ...keyUsageMembers,
  streams: Type.Integer({
    description:
      "Streams of events that the key has open, and requests of the key that wait for events, on the node that answers.",
    examples: [0],
  }),
  webhooks: Type.Integer({ description: "Webhooks that were created with the key.", examples: [1] }),
  lastDays: Type.Array(UsageDay, {
    description:
      "Oldest first; the last one is the current day. Responses of other nodes may be missing for a minute.",
  }),
});

export const TRAFFIC_COMPONENTS = [
  PeriodName,
  TrafficMinute,
  TrafficReport,
  TrafficPeriod,
  TrafficPeriods,
  OperationCount,
  UsageDay,
  KeyUsage,
];
