// Open connections without a request in progress, in the order in which they became idle. A linked list: each step is O(1).

import type { Socket } from "node:net";

/** The place of one connection in the list. */
export interface IdlePlace {
  /** The connection has become idle: it is the newest of the list. */
  enter(): void;
  /** A request has begun, or the connection has ended. */
  leave(): void;
}

export interface IdleConnections {
  /** A new connection is idle. */
  add(socket: Socket): IdlePlace;
  /** The connection that has been idle longest. */
  findOldest(): Socket | undefined;
}

interface Link {
  socket: Socket | undefined;
  older: Link;
  newer: Link;
}

export function createIdleConnections(): IdleConnections {
  // Both ends of the list: its `newer` is the oldest connection, its `older` the newest.
  const ends = createLink(undefined);

  function remove(link: Link): void {
    link.older.newer = link.newer;
    link.newer.older = link.older;
    link.older = link;
    link.newer = link;
  }

  function append(link: Link): void {
    remove(link);
    link.older = ends.older;
    link.newer = ends;
    ends.older.newer = link;
    ends.older = link;
  }

  return {
    add(socket) {
      const link = createLink(socket);
      append(link);
      return {
        // A response may finish after its connection has ended.
        enter: () => void (socket.destroyed || append(link)),
        leave: () => remove(link),
      };
    },
    findOldest: () => ends.newer.socket,
  };
}

/** A link outside of the list points to itself. */
function createLink(socket: Socket | undefined): Link {
  const link = { socket } as Link;
  link.older = link;
  link.newer = link;
  return link;
}
