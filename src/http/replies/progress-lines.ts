// A response of NDJSON lines: the progress of an import at intervals, then its result.

import { PassThrough } from "node:stream";
import type { FastifyReply } from "fastify";
import { NDJSON_TYPE } from "../headers/common-headers.ts";

export interface ProgressLines {
  /** The first call begins the response. */
  report(rows: number): void;
  /** Whether the response has begun, so that its status cannot change any more. */
  isOpen(): boolean;
  /** Sends the last line. */
  end(line: string): FastifyReply;
}

export function createProgressLines(reply: FastifyReply, everyMs: number): ProgressLines {
  const lines = new PassThrough();
  let timer: NodeJS.Timeout | undefined;
  let done = 0;

  const write = (line: string) => {
    // Destroyed when the client has left.
    if (!lines.destroyed) lines.write(`${line}\n`);
  };
  const writeProgress = () => write(`{"progress":{"rows":${done}}}`);

  function open(): void {
    // Asks nginx to pass every line on at once.
    reply.header("x-accel-buffering", "no").type(NDJSON_TYPE).send(lines);
  }

  return {
    report(rows) {
      done = rows;
      if (timer !== undefined) return;
      timer = setInterval(writeProgress, everyMs);
      open();
      writeProgress();
    },
    isOpen: () => timer !== undefined,
    end(line) {
      if (timer === undefined) open();
      clearInterval(timer);
      write(line);
      lines.end();
      return reply;
    },
  };
}
