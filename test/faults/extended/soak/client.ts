// One client of a soak, as its operations see it.

import type { Answer, CallOptions } from "../../../harness/clients/call.ts";
import type { Findings } from "./findings.ts";
import type { Animal, Ledger } from "./ledger.ts";

export interface Client {
  /** Unique among all clients. */
  name: string;
  ledger: Ledger;
  findings: Findings;
  /** The animals that this client alone changes. */
  own: Animal[];
  /** Rises by one with every call. */
  next(): number;
  /** A number from 0 up to, not including, `end`. */
  dice(end: number): number;
  isDone(): boolean;
  /** One request. Undefined: its outcome is unknown, as the answer was 503 or none. Statuses not in `expected` are noted. */
  ask(request: ClientRequest, expected: number[]): Promise<Answer | undefined>;
}

interface ClientRequest extends CallOptions {
  operation: string;
  method: string;
  path: string;
}
