// The client on a failing network, in Node.

import { test } from "node:test";
import { testFaults } from "./faults.ts";
import { openHere } from "./place.ts";

test("In Node the client", (t) => testFaults(t, openHere));
