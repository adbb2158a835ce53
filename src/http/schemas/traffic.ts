// The shapes of what was answered, minute by minute.

import { TRAFFIC_MINUTES } from "../observe/traffic.ts";
import { describedTime } from "./members.ts";
import { Type } from "./type.ts";

const TrafficMinute = Type.Object(
  {
    at: describedTime("When the minute began."),
    answers: Type.Array(
      Type.Object({
        status: Type.Integer({ description: "The HTTP status.", examples: [200] }),
        count: Type.Integer({ description: "How many answers had it.", examples: [12] }),
      }),
      { description: "By status, rising; empty in a quiet minute." },
    ),
  },
  {
    title: "TrafficMinute",
    description: "The answers of one minute.",
    examples: [{ at: "2026-11-15T09:30:00.000Z", answers: [{ status: 200, count: 12 }] }],
  },
);

export const TrafficReport = Type.Array(TrafficMinute, {
  title: "Traffic",
  description: `The answers of the last ${TRAFFIC_MINUTES} minutes, the oldest first.`,
});

export const TRAFFIC_COMPONENTS = [TrafficMinute, TrafficReport];
