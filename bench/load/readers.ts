// Opens event streams in a process of their own, and asks it whether all of them got every event.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Scope } from "../scope.ts";
import type { ReaderReply, ReaderRequest } from "./stream-readers.ts";

const PROGRAM = join(import.meta.dirname, "stream-readers.ts");

export interface Readers {
  /** The number behind which all streams start. */
  start: number;
  /** Why not every stream has every event up to `last` once and in order; undefined if all have. */
  findFault(last: number): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Rejects if a stream does not start. */
export async function openReaders(
  scope: Pick<Scope, "after">,
  streams: { url: string; keys: string[]; readers: number },
): Promise<Readers> {
  const child = fork(PROGRAM, { execArgv: [], env: { PATH: process.env.PATH } });
  const exited = once(child, "exit");
  const close = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  scope.after(close);
  const reply = await ask(child, { open: streams });
  if ("start" in reply)
    return {
      start: reply.start,
      async findFault(last) {
        const found = await ask(child, { check: { last } });
        return "fault" in found ? found.fault : undefined;
      },
      close,
    };
  await close();
  throw new Error("fault" in reply ? reply.fault : "The streams did not start.");
}

async function ask(child: ChildProcess, request: ReaderRequest): Promise<ReaderReply> {
  const ended = new AbortController();
  const failed = once(child, "exit", ended).then(() => {
    throw new Error("The process of the streams has ended.");
  });
  child.send(request);
  const [reply] = await Promise.race([once(child, "message", ended), failed]).finally(() => ended.abort());
  return reply;
}
