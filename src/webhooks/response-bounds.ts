// Bounds what a server may send: interim responses, blank lines, headers and framing cost CPU before any body arrives.

import type { ClientRequest } from "node:http";
import { RECEIVED_BYTES_MAX } from "../domain/webhooks/webhook-limits.ts";
import { AttemptError } from "./failures.ts";

/** Interim (1xx) responses before the final one. */
const INTERIM_MAX = 8;

/** Ends the request at the limits. The rest of the piece that crosses one, at most 64 KiB, is still parsed. */
export function boundResponse(request: ClientRequest, bytesMax = RECEIVED_BYTES_MAX): void {
  let interim = 0;
  let bytes = 0;
  const end = () => {
    if (!request.destroyed) request.destroy(new AttemptError("too_much_before_response"));
  };
  const count = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) end();
  };
  request.on("information", () => {
    interim += 1;
    if (interim > INTERIM_MAX) end();
  });
  request.on("socket", (socket) => {
    // After Node's own listener: a response within the piece that crosses the limit is complete by then.
    socket.on("data", count);
    // The bytes of a tunnel are for the TLS connection over it, which has bounds of its own.
    request.on("connect", () => socket.off("data", count));
  });
}
