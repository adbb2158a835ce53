// Reads the header Retry-After of a receiver.

/** RFC 9110: seconds, or a date in the form of Date.toUTCString. Undefined for anything else. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const date = new Date(text);
  const isHttpDate = !Number.isNaN(date.getTime()) && date.toUTCString() === text;
  return isHttpDate ? Math.max(0, date.getTime() - nowMs) : undefined;
}
