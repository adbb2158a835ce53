// How long counts of responses are kept, with the current minute and day.

export const MINUTES_KEPT = 1_440;
export const DAYS_KEPT = 90;
