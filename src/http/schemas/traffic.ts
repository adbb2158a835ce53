// Schemas of response counts per minute.

import { TRAFFIC_MINUTES } from "../observe/traffic.ts";
import { annotate, EXAMPLE_TIME, Timestamp } from "./members.ts";
import { Type } from "./type.ts";

const TrafficMinute = Type.Object(
  {
    at: annotate(Timestamp, { description: "Start of the minute." }),
    answers: Type.Array(
      Type.Object({
        status: Type.Integer({ description: "The HTTP status.", examples: [200] }),
        count: Type.Integer({ description: "Number of responses with this status.", examples: [12] }),
      }),
      { description: "In ascending order of status; empty in a minute without responses." },
    ),
  },
  {
    title: "TrafficMinute",
    description: "The responses of one minute.",
    examples: [{ at: EXAMPLE_TIME, answers: [{ status: 200, count: 12 }] }],
  },
);

export const TrafficReport = Type.Array(TrafficMinute, {
  title: "Traffic",
  description: `The responses of the last ${TRAFFIC_MINUTES} minutes, oldest first.`,
});

export const TRAFFIC_COMPONENTS = [TrafficMinute, TrafficReport];
