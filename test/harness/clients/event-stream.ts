// A client of streamEvents: parses server-sent events as they arrive.

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { ADMIN_KEY } from "../servers/app.ts";
import type { Call } from "./call.ts";

/** The fields of one block; a comment has none. */
export interface Frame {
  id?: string;
  event?: string;
  data?: string;
  retry?: string;
}

export interface EventStreamClient {
  status: number;
  headers: Record<string, string>;
  /** The next frame; with `ofEvent`, the next event. Rejects if the stream ends before. */
  next(ofEvent?: boolean): Promise<Frame>;
  /** The numbers of the next events. */
  numbers(count: number): Promise<number[]>;
  /** The last id, as a client would send it in Last-Event-ID. */
  lastId(): string;
  /** Resolves to the rest of the body when the service has ended the stream. */
  ended: Promise<void>;
  /** Stops or resumes reading from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
}

export async function openEventStream(
  url: string,
  options: { key: string; headers?: Record<string, string>; agent?: http.Agent },
): Promise<EventStreamClient> {
  const { request: open } = url.startsWith("https:") ? https : http;
  const headers = { authorization: `Bearer ${options.key}`, ...options.headers };
  const request = open(url, { headers, agent: options.agent ?? false }).end();
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  // A cut connection is an error here too; the response reports it.
  request.on("error", () => {});
  const frames: Frame[] = [];
  let text = "";
  let lastId = "";
  let wake = () => {};
  let isEnded = false;

  response.setEncoding("utf8").on("data", (chunk: string) => {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    for (const frame of blocks.map(parseBlock)) {
      lastId = frame.id ?? lastId;
      frames.push(frame);
    }
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isEnded = true;
      resolve();
      wake();
    };
    response.on("error", end).on("close", end);
  });

  async function next(ofEvent = false): Promise<Frame> {
    for (;;) {
      while (frames.length > 0) {
        const frame = frames.shift() as Frame;
        if (!ofEvent || frame.event !== undefined) return frame;
      }
      if (isEnded) throw new Error("The stream has ended");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    next,
    async numbers(count) {
      const numbers: number[] = [];
      while (numbers.length < count) numbers.push(JSON.parse((await next(true)).data ?? "").number);
      return numbers;
    },
    lastId: () => lastId,
    ended,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void request.destroy(),
  };
}

/** Resolves when the metrics report this many open streams and waiting requests. */
export async function untilStreams({ outside }: { outside: Call }, count: number): Promise<void> {
  for (let open = -1; open !== count; ) {
    const { text } = await outside("GET", "/metrics", { key: ADMIN_KEY });
    open = Number(/^animal_store_event_streams (\d+)$/m.exec(text)?.[1]);
  }
}

function parseBlock(block: string): Frame {
  const fields = block.split("\n").map((line) => line.split(/: ?(.*)/s));
  return Object.fromEntries(
    fields.filter(([name]) => name !== "").map(([name, value = ""]) => [name, value]),
  );
}
