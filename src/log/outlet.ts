// Writes to standard output and error without blocking the event loop or a thread, whatever reads them.

import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";

export interface Outlet {
  /** Calls back once with the number of bytes written, which may take as long as a slow reader needs. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the exit of the process: writes as much as possible without waiting. Throws if nothing can be written. */
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

/** Pipes and sockets, on which libuv waits for the reader. Reopened after an error: a named pipe may get another reader. */
function toStream(open: () => Writable): Outlet {
  let stream: Writable | undefined;

  function current(): Writable {
    stream ??= open();
    // Errors are passed to the callback of the write, but an unheard error event would end the process. Node's standard
    // streams may have the listener already.
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
    // libuv writes as much as fits before it returns.
    writeNow: (bytes) => void current().write(bytes),
  };
}

/**
 * A separate file description, so that another process with the same pipe cannot reset O_NONBLOCK. Throws ENXIO if the
 * pipe has no reader.
 */
function openPipe(fd: Standard): Writable {
  try {
    return new Socket({ fd: reopen(fd), readable: false, writable: true }).unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") throw error;
    return standardStream(fd);
  }
}

/** Node's stream: asynchronous for pipes and sockets, except on Windows. A second stream on the same descriptor fails. */
function standardStream(fd: Standard): Writable {
  return fd === 1 ? process.stdout : process.stderr;
}

/** Files, devices and terminals. libuv's threads do the writes, because a disk may be slow. */
function toFile(fd: number): Outlet {
  function attempt(bytes: Buffer, done: (error: Error | null, written: number) => void): void {
    write(fd, bytes, (error, written) => {
      // A terminal that is stopped or slow.
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
 * Throws if the system has no such path, or if another user opened the descriptor. Not for files: two file descriptions
 * would overwrite each other's lines.
 */
function reopen(fd: Standard): number {
  return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}
