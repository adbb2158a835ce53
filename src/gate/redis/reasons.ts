// Says in plain words why Redis cannot be used: the driver's messages are about its own options and queues.

/** The first row with a text that the message contains. */
const WORDS: Array<[texts: string[], words: string]> = [
  [["ECONNREFUSED"], "connection refused"],
  [["ENOTFOUND", "EAI_AGAIN"], "unknown host name"],
  [["EHOSTUNREACH", "ENETUNREACH"], "host unreachable"],
  [["ETIMEDOUT", "timed out"], "no answer in time"],
];
/** The driver's messages for a command that finds no connection. */
const UNCONNECTED = [
  "ECONNRESET",
  "EPIPE",
  "Connection is closed",
  "connection close",
  "isn't writeable",
  "isn't ready",
  "None of startup nodes is available",
  "Failed to refresh slots cache",
  "max retries per request limit",
];

/** `failure` is the error of the last attempt to connect: a command that finds no connection failed because of it. */
export function reasonOf(error: unknown, failure?: unknown): string {
  const message = messageOf(error);
  const known = WORDS.find(([texts]) => texts.some((text) => message.includes(text)));
  if (known !== undefined) return known[1];
  if (!UNCONNECTED.some((text) => message.includes(text))) return message;
  return failure === undefined ? "connection closed" : reasonOf(failure);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A cluster reports only that all its servers failed; the error of the last one has the reason.
  const { lastNodeError = error } = error as Error & { lastNodeError?: Error };
  const { message, code = "" } = lastNodeError as NodeJS.ErrnoException;
  // Node gives no message if a host has several addresses and all refuse.
  return message || code;
}
