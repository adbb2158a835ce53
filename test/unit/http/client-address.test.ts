// The address whose budget is charged: the same with and without the framework.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import Fastify from "fastify";
import { addressOf, createAddressFinder } from "../../../src/http/headers/client-address.ts";

const TRUSTED = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48"];
const FORWARDED = [
  undefined,
  "",
  ",",
  "192.0.2.1",
  "198.51.100.7, 192.0.2.1",
  "192.0.2.1,10.1.2.3",
  "192.0.2.1 , 10.1.2.3 , 127.0.0.9",
  "10.0.0.1, 10.0.0.2",
  "2001:db8::1",
  "192.0.2.1, 2001:db8:ffff::5",
  "::ffff:192.0.2.1",
  "::ffff:10.0.0.1",
  "unknown",
  "192.0.2.1, unknown",
  "192.0.2.1, <script>, 10.0.0.1",
  "192.0.2.1:8080",
];

for (const trustProxy of [TRUSTED, []])
  for (const remoteAddress of ["127.0.0.1", "::ffff:127.0.0.1", "203.0.113.5", "2001:db8:ffff::1"])
    test(`finds the client from ${remoteAddress}, with ${trustProxy.length} trusted ranges`, async (t) => {
      const app = Fastify({ trustProxy: trustProxy.length > 0 ? trustProxy : false });
      t.after(() => app.close());
      const findAddress = createAddressFinder(trustProxy);
      app.get("/", (request) => [addressOf(request), findAddress(request.raw as IncomingMessage)]);
      for (const forwarded of FORWARDED) {
        const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
        const [expected, found] = (await app.inject({ url: "/", remoteAddress, headers })).json();
        assert.equal(found, expected, `X-Forwarded-For: ${forwarded}`);
      }
    });
