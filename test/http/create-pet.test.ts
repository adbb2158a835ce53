// createPet: exact numbers and names, the states of a new animal, and rejected bodies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

test("POST /pets stores an animal", async (t) => {
  const { call, url, addPet } = await startApp(t);
  const create = (body: unknown) => call("POST", "/pets", { body });

  await t.test("responds with 201, exactly these members in this order, and Location", async () => {
    const answer = await create({ status: "pending", categoryId: 3, name: "Rex" });
    assertCommon(answer);
    assert.equal(answer.status, 201);
    assert.equal(answer.text, '{"id":1,"name":"Rex","categoryId":3,"status":"pending"}');
    assert.equal(answer.headers.location, `${url}/v1/pets/1`);
  });

  await t.test("assigns ids from 1 without a gap, also after a rejected request", async () => {
    await create({ name: "", categoryId: 3 });
    assert.equal((await addPet()).id, 2);
  });

  await t.test("makes an animal available when status is missing, and accepts every status", async () => {
    assert.equal((await addPet()).status, "available");
    for (const status of ["available", "pending", "sold"])
      assert.equal((await addPet({ status })).status, status);
  });

  const plain = `0 -1 9007199254740991 9007199254740992 9007199254740993 -9007199254740993 9223372036854775807
    -9223372036854775808`.split(/\s+/);
  const numbers: Record<string, string> = {
    ...Object.fromEntries(plain.map((written) => [written, written])),
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
  for (const [written, value] of Object.entries(numbers))
    await t.test(`reads categoryId ${written} as ${value}, exactly`, async () => {
      const created = await create(`{"name":"Number","categoryId":${written}}`);
      assert.equal(created.status, 201, created.text);
      const { id } = created.json;
      assert.ok(created.text.startsWith(`{"id":${id},"name":"Number","categoryId":${value},`), created.text);
      assert.equal((await call("GET", `/pets/${id}`)).text, created.text);
      assert.ok((await call("GET", "/pets?limit=100")).text.includes(created.text));
    });

  const names: Record<string, { sent: string; stored?: string }> = {
    "one character": { sent: "R" },
    "white space at both ends": { sent: " \t\n\u00a0Rex\u2003\r\n ", stored: "Rex" },
    "white space inside": { sent: "Rex  the\u00a0Great" },
    "255 characters": { sent: "x".repeat(255) },
    "255 code points of two units each": { sent: "🐕".repeat(255) },
    "255 characters after 500 spaces": { sent: " ".repeat(500) + "x".repeat(255), stored: "x".repeat(255) },
    "quotes and backslashes": { sent: '"\\/' },
    "combining marks and joined emoji": { sent: "Zoe\u0308 👩‍👩‍👧" },
    "line and paragraph separators inside": { sent: "a\u2028b\u2029c" },
    "private use and unassigned characters": { sent: "\ue000\u0378\u{10ffff}" },
    "text that looks like SQL": { sent: "'; DROP TABLE pets; --" },
  };
  for (const [what, { sent, stored = sent }] of Object.entries(names))
    await t.test(`accepts a name of ${what}`, async () => {
      const { id, name } = await addPet({ name: sent });
      assert.equal(name, stored);
      assert.equal((await call("GET", `/pets/${id}`)).json.name, stored);
    });
});

test("POST /pets rejects an invalid body with 400 and adds no animal", async (t) => {
  const { call } = await startApp(t);
  const object = "The body must be an object";
  const integer = "categoryId must be an integer between -9223372036854775808 and 9223372036854775807";
  const status = "status must be one of available, pending, sold";
  const name = /^name must be 1 to 255 characters/;
  const deep = "[".repeat(8_000) + "]".repeat(8_000);

  const bodies: Record<string, [unknown, RegExp | string]> = {
    "no name": [{ categoryId: 3 }, "name is required"],
    "no categoryId": [{ name: "Rex" }, "categoryId is required"],
    "no member at all": [{}, "name is required; categoryId is required"],
    "several errors": [
      { categoryId: "3", status: "gone" },
      /^name is required; categoryId must be an integer.*; status must be one of/,
    ],
    "a list": [[], object],
    null: ["null", object],
    "a string": ['"Rex"', object],
    "a number": ["1", object],
    "lists as deep as the size allows": [deep, object],
    "a member as deep as the size allows": [`{"a":${deep}}`, "name is required; categoryId is required"],
    "a name of no characters": [{ name: "", categoryId: 1 }, name],
    "a name of white space only": [{ name: " \t\u3000", categoryId: 1 }, name],
    "a name of 256 characters": [{ name: "x".repeat(256), categoryId: 1 }, name],
    "a name with NUL": [{ name: "Re\0x", categoryId: 1 }, name],
    "a name with a line break inside": [{ name: "Re\nx", categoryId: 1 }, name],
    "a name with a C1 control": [{ name: "Re\u0085x", categoryId: 1 }, name],
    "a name with DEL": [{ name: "Re\u007fx", categoryId: 1 }, name],
    "a name with a lone high surrogate": [{ name: "Re\ud83dx", categoryId: 1 }, name],
    "a name with a lone low surrogate": [{ name: "\udc36Rex", categoryId: 1 }, name],
    "a name that is a number": [{ name: 7, categoryId: 1 }, name],
    "a name that is null": [{ name: null, categoryId: 1 }, name],
    "a name that is a list": [{ name: ["Rex"], categoryId: 1 }, name],
  };
  for (const written of ["Available", "lost", "", null, 1, ["sold"]])
    bodies[`status ${JSON.stringify(written)}`] = [{ name: "Rex", categoryId: 1, status: written }, status];
  const notIntegers = `"3" 1.5 true null [] {} 9223372036854775808 -9223372036854775809 1e19 1e400 1e-400
    1.00000000000000000001 4503599627370497.5 450359962737.04975e4
    100000000000000000000000000000000000000001`;
  for (const written of notIntegers.split(/\s+/))
    bodies[`categoryId ${written}`] = [`{"name":"Rex","categoryId":${written}}`, integer];

  for (const [what, [body, message]] of Object.entries(bodies))
    await t.test(`rejects ${what}`, async () => {
      assertError(await call("POST", "/pets", { body }), "invalid_body", message);
      assert.equal((await call("GET", "/pets")).text, "[]");
    });
});
