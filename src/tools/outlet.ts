// Ways to standard output and error that never block the event loop or a thread, whatever is at the other end.

import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";

export interface Outlet {
  /** Calls back once, with how many bytes were taken; not before a reader that is slow has taken some. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the last moment of the process: what can be written at once. Throws where nothing can. */
  writeNow(bytes: Buffer): void;
}

type Standard = 1 | 2;

const TERMINAL_RETRY_MS = 10;

export function openOutlet(fd: Standard): Outlet {
  const stats = fstatSync(fd);
  if (stats.isFIFO()) return toStream(() => openPipe(fd));
  if (stats.isSocket()) return toStream(() => standardStream(fd));
  return toFile(isatty(fd) ? openTerminal(fd) : fd);
}

/** Pipes and sockets: libuv waits for their readers. One that has failed is opened anew: a named pipe may get another reader. */
function toStream(open: () => Writable): Outlet {
  let stream: Writable | undefined;

  function current(): Writable {
    stream ??= open();
    // Errors are given to the callback of the write; without a listener they would end the process as well. Node's own
    // streams come back with the listener of the time before.
    if (stream.listenerCount("error") === 0) stream.on("error", () => {});
    return stream;
  }

  return {
    write(bytes, done) {
      try {
        current().write(bytes, (error) => {
          if (error) stream = undefined;
          done(error ?? null, error ? 0 : bytes.length);
        });
      } catch (error) {
        done(error as Error, 0);
      }
    },
    // libuv writes what there is room for before it returns.
    writeNow: (bytes) => void current().write(bytes),
  };
}

/**
 * A file description of our own, so that its O_NONBLOCK is not taken away by another process that has the pipe, too.
 * Throws ENXIO where nobody reads the pipe.
 */
function openPipe(fd: Standard): Writable {
  try {
    return new Socket({ fd: reopen(fd), readable: false, writable: true }).unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") throw error;
    return standardStream(fd);
  }
}

/** Node's own stream: asynchronous for pipes and sockets, except on Windows. A second one on the same descriptor would fail. */
function standardStream(fd: Standard): Writable {
  return fd === 1 ? process.stdout : process.stderr;
}

/** Files, devices and terminals. Writes go through libuv's threads, because a disk may be slow. */
function toFile(fd: number): Outlet {
  function attempt(bytes: Buffer, done: (error: Error | null, written: number) => void): void {
    write(fd, bytes, (error, written) => {
      // A terminal that was stopped, or shows lines more slowly than they come.
      if (error?.code === "EAGAIN") setTimeout(attempt, TERMINAL_RETRY_MS, bytes, done).unref();
      else done(error, error ? 0 : written);
    });
  }
  return { write: attempt, writeNow: (bytes) => void writeSync(fd, bytes) };
}

function openTerminal(fd: Standard): number {
  try {
    return reopen(fd);
  } catch {
    return fd;
  }
}

/**
 * Throws where the system has no such path, or the descriptor was opened by another user. Not for files: two descriptions of
 * one file would write over each other's lines.
 */
function reopen(fd: Standard): number {
  return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}
