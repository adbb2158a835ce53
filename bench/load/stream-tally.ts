// Checks the bytes of one event stream: it must start with a position and then have every event once, in order.

const HEAD_END = "\r\n\r\n";
const FRAME_END = "\n\n";

export interface StreamTally {
  /** The number behind which the stream starts; undefined until it has started. */
  readonly start: number | undefined;
  /** The number of the last event. */
  readonly last: number;
  /** What was wrong first. */
  readonly fault: string | undefined;
  /** Adds bytes of the connection, beginning with the head of the response. */
  add(text: string): void;
}

/** For a stream whose filter hides no event. */
export function createStreamTally(): StreamTally {
  let start: number | undefined;
  let last = 0;
  let fault: string | undefined;
  let rest = "";
  let isInBody = false;

  function readHead(text: string): string {
    const end = text.indexOf(HEAD_END);
    if (end === -1) return text;
    isInBody = true;
    if (!text.startsWith("HTTP/1.1 200 ")) fault = `refused: ${text.slice(0, 200)}`;
    return readFrames(text.slice(end + HEAD_END.length));
  }

  /** Searches by position and makes no copies: a run has millions of frames. Returns the incomplete frame at the end. */
  function readFrames(text: string): string {
    let at = 0;
    for (;;) {
      const end = text.indexOf(FRAME_END, at);
      if (end === -1) return text.slice(at);
      readFrame(text, at, end);
      at = end + FRAME_END.length;
    }
  }

  function readFrame(text: string, at: number, end: number): void {
    const isComment = text.charCodeAt(at) === 58; // ":"
    if (isComment || fault !== undefined) return;
    const idAt = start === undefined ? text.indexOf("\nid: ", at) : at;
    const numberAt = text.indexOf("-", idAt) + 1;
    const lineEnd = text.indexOf("\n", numberAt);
    const number = Number(text.slice(numberAt, lineEnd));
    if (start === undefined) {
      start = number;
    } else {
      // A frame with only an id moves the client past events that it does not get.
      const wanted = text.startsWith("event: ", lineEnd + 1) && lineEnd < end ? last + 1 : last;
      if (number !== wanted) fault = `event ${number} after event ${last}`;
    }
    last = number;
  }

  return {
    get start() {
      return start;
    },
    get last() {
      return last;
    },
    get fault() {
      return fault;
    },
    add(text) {
      const whole = rest === "" ? text : rest + text;
      rest = isInBody ? readFrames(whole) : readHead(whole);
    },
  };
}
