// An incremental parser of server-sent events. Each character is looked at once, wherever the chunks are cut.

/** The longest event of the service is far below; a longer message or line comes from something else. */
export const MESSAGE_MAX_CHARS = 1_048_576;

export interface Message {
  /** The cursor; undefined where the message has none. */
  id: string | undefined;
  /** Undefined for an `id:` alone, which only moves the position. */
  data: string | undefined;
}

export interface Parser {
  /** Complete lines so far, comments included: the signs of life of the service. */
  readonly lines: number;
  /** The last `retry:`. */
  readonly retryMs: number | undefined;
  /** The messages that the chunk completes. Throws a RangeError for a message that is too long. */
  push(chunk: string): Message[];
}

export function createParser(): Parser {
  let lines = 0;
  let retryMs: number | undefined;
  let unfinished = "";
  let endsWithCr = false;
  let id: string | undefined;
  let data: string[] = [];
  let dataChars = 0;

  function readLine(line: string): Message | undefined {
    lines += 1;
    if (line === "") return finishMessage();
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const text = colon === -1 ? "" : line.slice(colon + (line.startsWith(" ", colon + 1) ? 2 : 1));
    if (name === "data") {
      dataChars += text.length + 1;
      requireRoom(dataChars);
      data.push(text);
    } else if (name === "id" && text !== "" && !text.includes("\0")) id = text;
    else if (name === "retry" && /^[0-9]{1,9}$/.test(text)) retryMs = Number(text);
    return undefined;
  }

  function finishMessage(): Message | undefined {
    const text = data.join("\n");
    const message = { id, data: text === "" ? undefined : text };
    id = undefined;
    data = [];
    dataChars = 0;
    return message.id === undefined && message.data === undefined ? undefined : message;
  }

  return {
    get lines() {
      return lines;
    },
    get retryMs() {
      return retryMs;
    },
    push(chunk) {
      const messages: Message[] = [];
      // A CR at the end of the last chunk has ended its line; this LF belongs to it.
      let start = endsWithCr && chunk.startsWith("\n") ? 1 : 0;
      if (chunk !== "") endsWithCr = chunk.endsWith("\r");
      for (const { index, 0: end } of chunk.matchAll(/\r\n?|\n/g)) {
        if (index < start) continue;
        const line = unfinished + chunk.slice(start, index);
        requireRoom(line.length);
        unfinished = "";
        start = index + end.length;
        const message = readLine(line);
        if (message !== undefined) messages.push(message);
      }
      unfinished += chunk.slice(start);
      requireRoom(unfinished.length);
      return messages;
    },
  };
}

function requireRoom(chars: number): void {
  if (chars > MESSAGE_MAX_CHARS)
    throw new RangeError(`A message of the stream is longer than ${MESSAGE_MAX_CHARS} characters.`);
}
