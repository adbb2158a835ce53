// A real pipe with both ends in the test. (The pipes of child_process are sockets.)

import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { makeFolder } from "../runner/folder.ts";

const POLL_MS = 10;
const READ_MS = 15_000;

export interface Pipe {
  /** The end for a child process; the test closes it once the child has it. */
  writeEnd: number;
  /** Writes until the pipe takes no more. */
  fill(): void;
  /** All that has arrived since the last call. */
  read(): string;
  /** Reads until the text read so far fits. */
  readUntil(pattern: RegExp): Promise<string>;
  closeReadEnd(): void;
  reopenReadEnd(): void;
  closeWriteEnd(): void;
}

export function openPipe(t: TestContext): Pipe {
  const path = join(makeFolder(t), "pipe");
  execFileSync("mkfifo", [path]);
  const close = closeOnce(t);
  let readEnd = openReadEnd(path);
  let closeReadEnd = close(readEnd);
  const writeEnd = openSync(path, constants.O_WRONLY);

  function read(): string {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.alloc(2 ** 16);
      const size = unlessBlocked(() => readSync(readEnd, chunk));
      if (size === undefined || size === 0) return Buffer.concat(chunks).toString();
      chunks.push(chunk.subarray(0, size));
    }
  }

  return {
    writeEnd,
    fill() {
      const unblocked = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const line = Buffer.from(`${"-".repeat(1023)}\n`);
      while (unlessBlocked(() => writeSync(unblocked, line)) !== undefined);
      closeSync(unblocked);
    },
    read,
    async readUntil(pattern) {
      const endMs = performance.now() + READ_MS;
      let text = read();
      while (!pattern.test(text)) {
        if (performance.now() > endMs) throw new Error(`${pattern} is not in: ${text.slice(-2_000)}`);
        await pause(POLL_MS);
        text += read();
      }
      return text;
    },
    closeReadEnd: () => closeReadEnd(),
    reopenReadEnd() {
      readEnd = openReadEnd(path);
      closeReadEnd = close(readEnd);
    },
    closeWriteEnd: close(writeEnd),
  };
}

function openReadEnd(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Functions that close a descriptor at the end of the test, or before. */
function closeOnce(t: TestContext): (fd: number) => () => void {
  return (fd) => {
    let isOpen = true;
    const close = () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
    };
    t.after(close);
    return close;
  };
}

function unlessBlocked(work: () => number): number | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    return undefined;
  }
}
