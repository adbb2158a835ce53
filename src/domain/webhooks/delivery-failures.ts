// Why a delivery has no response: the causes with their sentences. The console recognises a cause by its sentence.

const PERMIT = "An operator can permit it: add {host} to WEBHOOK_ALLOW.";

/** Names in braces stand for details. Stored deliveries and the console have these words: a new cause gets a new row. */
export const FAILURE_SENTENCES = {
  no_connection_in_time: "No connection within {seconds} s.",
  no_response_in_time: "No response within {seconds} s.",
  no_response: "No response.",
  service_stopping: "The service is stopping.",
  name_without_address: "The host name has no address.",
  look_up_failed: "The look-up of the host name failed.",
  look_up_too_slow: "The look-up of the host name took too long.",
  connection_refused: "The connection was refused.",
  connection_closed: "The connection was closed before a response.",
  host_silent: "The host did not answer.",
  host_unreachable: "The host cannot be reached.",
  network_unreachable: "The network of the host cannot be reached.",
  headers_too_large: "The headers of the response are too large.",
  too_much_before_response: "The server sent too much before its response.",
  response_not_http: "The response is not valid HTTP ({code}).",
  tls_failed: "The TLS connection failed ({code}).",
  request_failed: "The request failed ({code}).",
  proxy_closed: "The proxy closed the connection.",
  proxy_refused: "The proxy refused the connection with {status}.",
  url_invalid: "url must be an https address, but is {text}.",
  url_with_credentials: "url must not contain a user name or password.",
  url_not_https: "url must begin with https://. An operator can permit http:// with WEBHOOK_ALLOW_HTTP=1.",
  url_port_zero: "url must not have port 0.",
  url_of_service: "url must not lead to this service itself.",
  url_private_name: `url must not name a host of a private network. ${PERMIT}`,
  url_forbidden_address: `url must not lead to {host}, {kind} address. ${PERMIT}`,
  url_private_addresses: `url must not lead to a private network or to this service. ${PERMIT}`,
  url_without_public_address:
    "No public address was found for the host. Check its name. An operator can permit others with WEBHOOK_ALLOW.",
  event_not_kept: "The event is no longer kept, or the key may no longer see it.",
  event_skipped: "Skipped: the webhook continued with later events.",
} as const satisfies Record<string, string>;

export type FailureCause = keyof typeof FAILURE_SENTENCES;
export type FailureDetails = Record<string, string | number>;

/** They would show a caller which names exist in the operator's network, so only `admin` may distinguish them. */
const NAME_CAUSES: FailureCause[] = [
  "name_without_address",
  "look_up_failed",
  "look_up_too_slow",
  "url_private_addresses",
];

const BRACES = /[{}]/;

export function sayFailure(cause: FailureCause, details: FailureDetails = {}): string {
  return fillIn(FAILURE_SENTENCES[cause], details);
}

/** The sentence for callers without access `admin`. */
export function hideNameCause(sentence: string): string {
  const cause = recogniseFailure(sentence)?.cause;
  const isHidden = cause !== undefined && NAME_CAUSES.includes(cause);
  return isHidden ? sayFailure("url_without_public_address") : sentence;
}

/** Replaces the names in braces. */
export function fillIn(template: string, details: FailureDetails): string {
  // Names are at the odd places, because braces are not nested.
  const parts = template.split(BRACES);
  return parts.map((part, index) => (index % 2 === 0 ? part : String(details[part] ?? ""))).join("");
}

/** Undefined for a sentence that is not in the table, such as one of another version. */
export function recogniseFailure(
  sentence: string,
): { cause: FailureCause; details: FailureDetails } | undefined {
  for (const [cause, template] of Object.entries(FAILURE_SENTENCES)) {
    const details = readDetails(template, sentence);
    if (details !== undefined) return { cause: cause as FailureCause, details };
  }
  return undefined;
}

/** Without a regular expression: details are foreign text, and two of them could make a pattern slow. */
function readDetails(template: string, sentence: string): FailureDetails | undefined {
  const [start = "", ...parts] = template.split(BRACES);
  if (!sentence.startsWith(start)) return undefined;
  const details: FailureDetails = {};
  let at = start.length;
  for (let index = 0; index < parts.length; index += 2) {
    const [name = "", words = ""] = parts.slice(index);
    const isLast = index + 2 === parts.length;
    const end = isLast ? sentence.length - words.length : sentence.indexOf(words, at);
    if (end < at || !sentence.startsWith(words, end)) return undefined;
    details[name] = sentence.slice(at, end);
    at = end + words.length;
  }
  return at === sentence.length ? details : undefined;
}
