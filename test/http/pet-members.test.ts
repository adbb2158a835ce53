// Sections 2 and 3 of the interface: the fields of an animal, exact numbers and names, and the states of an animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

test("Section 2: the fields of an animal", async (t) => {
  const { call } = await startApp(t);
  const create = (body: unknown) => call("POST", "/pets", { body });

  await t.test("responds with exactly id, name, categoryId and status, in this order", async () => {
    const answer = await create({ status: "pending", categoryId: 3, name: "Rex" });
    assert.equal(answer.text, '{"id":1,"name":"Rex","categoryId":3,"status":"pending"}');
  });

  const exact = [
    "0",
    "-1",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
  ];
  for (const number of exact) {
    await t.test(`keeps categoryId ${number} exact in the body, the response and the list`, async () => {
      const created = await create(`{"name":"Rex","categoryId":${number}}`);
      assert.equal(created.status, 201, created.text);
      assert.match(created.text, new RegExp(`"categoryId":${number},`));
      const { id } = created.json;
      assert.match((await call("GET", `/pets/${id}`)).text, new RegExp(`"categoryId":${number},`));
      assert.match(
        (await call("GET", "/pets?limit=100")).text,
        new RegExp(`"id":${id},"name":"Rex","categoryId":${number},`),
      );
    });
  }

  const integral: Record<string, string> = {
    "1.0": "1",
    "1e2": "100",
    "1E+2": "100",
    "-0": "0",
    "12.50e1": "125",
    "9007199254740993.0": "9007199254740993",
    "9.007199254740993e15": "9007199254740993",
    "123456789012345e4": "1234567890123450000",
    "90071992547409930e-1": "9007199254740993",
    "0e999": "0",
  };
  for (const [written, value] of Object.entries(integral)) {
    await t.test(`reads ${written} as the integer ${value}`, async () => {
      const created = await create(`{"name":"Rex","categoryId":${written}}`);
      assert.equal(created.status, 201, created.text);
      assert.match(created.text, new RegExp(`"categoryId":${value},`));
    });
  }

  const notIntegers = [
    '"3"',
    "1.5",
    "true",
    "null",
    "[]",
    "{}",
    "9223372036854775808",
    "-9223372036854775809",
    "1e19",
    "1e400",
    "1e-400",
    "1.00000000000000000001",
    "4503599627370497.5",
    "450359962737.04975e4",
    "100000000000000000000000000000000000000001",
  ];
  for (const written of notIntegers) {
    await t.test(`rejects categoryId ${written} with 400`, async () => {
      const answer = await create(`{"name":"Rex","categoryId":${written}}`);
      assertError(
        answer,
        "invalid_body",
        /^categoryId must be an integer between -9223372036854775808 and 9223372036854775807$/,
      );
    });
  }

  const names: Record<string, { sent: string; stored: string }> = {
    "one character": { sent: "R", stored: "R" },
    "white space at both ends": { sent: " \t\n\u00a0Rex\u2003\r\n ", stored: "Rex" },
    "white space inside": { sent: "Rex  the\u00a0Great", stored: "Rex  the\u00a0Great" },
    "255 characters": { sent: "x".repeat(255), stored: "x".repeat(255) },
    "255 code points of two units each": { sent: "🐕".repeat(255), stored: "🐕".repeat(255) },
    "255 characters after 500 spaces": {
      sent: " ".repeat(500) + "x".repeat(255),
      stored: "x".repeat(255),
    },
    "quotes and backslashes": { sent: '"\\/', stored: '"\\/' },
    "combining marks and joined emoji": { sent: "Zoe\u0308 👩‍👩‍👧", stored: "Zoe\u0308 👩‍👩‍👧" },
    "line and paragraph separators inside": { sent: "a\u2028b\u2029c", stored: "a\u2028b\u2029c" },
    "private use and unassigned characters": {
      sent: "\ue000\u0378\u{10ffff}",
      stored: "\ue000\u0378\u{10ffff}",
    },
    "text that looks like SQL": { sent: "'; DROP TABLE pets; --", stored: "'; DROP TABLE pets; --" },
  };
  for (const [what, { sent, stored }] of Object.entries(names)) {
    await t.test(`accepts a name of ${what}`, async () => {
      const created = await create({ name: sent, categoryId: 1 });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.json.name, stored);
      const found = await call("GET", `/pets/${created.json.id}`);
      assert.equal(found.text, created.text);
    });
  }

  const badNames: Record<string, unknown> = {
    "no characters": "",
    "white space only": " \t\u3000",
    "256 characters": "x".repeat(256),
    "a NUL": "Re\0x",
    "a line break inside": "Re\nx",
    "a C1 control": "Re\u0085x",
    DEL: "Re\u007fx",
    "a lone high surrogate": "Re\ud83dx",
    "a lone low surrogate": "\udc36Rex",
    "a number": 7,
    null: null,
    "a list": ["Rex"],
  };
  for (const [what, name] of Object.entries(badNames)) {
    await t.test(`rejects a name of ${what} with 400`, async () => {
      assertError(await create({ name, categoryId: 1 }), "invalid_body", /^name must be 1 to 255 characters/);
    });
  }
});

test("Section 3: states", async (t) => {
  const { call } = await startApp(t);

  await t.test("makes an animal available when status is missing", async () => {
    const answer = await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    assert.equal(answer.json.status, "available");
  });

  for (const status of ["available", "pending", "sold"]) {
    await t.test(`accepts status ${status} for a new animal`, async () => {
      const answer = await call("POST", "/pets", { body: { name: "Rex", categoryId: 1, status } });
      assert.equal(answer.json.status, status);
    });
  }

  for (const status of ["Available", "lost", "", null, 1, ["sold"]]) {
    await t.test(`rejects status ${JSON.stringify(status)} with 400`, async () => {
      const answer = await call("POST", "/pets", { body: { name: "Rex", categoryId: 1, status } });
      assertError(answer, "invalid_body", "status must be one of available, pending, sold");
    });
  }
});
