// `keys invite`: a link and a QR code, by which a person signs in at the running service.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "uqr";
import { drawQrCode } from "../../src/cli/qr-code.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { startNode } from "../harness/servers/node.ts";
import { makeStore } from "./stores.ts";

const PUBLIC_URL = "https://animals.example.org";
const INVITE = ["keys", "invite", "--name", "Maria", "--access", "manage"];

test("keys invite prints a link that works once, and its QR code", async (t) => {
  const { call, environment } = await startNode(t, { PUBLIC_URL });
  const { readOutput, readJson } = commandsIn(environment);

  await t.test("the link and the code of a person", async () => {
    const output = await readOutput(...INVITE);
    const [link = "", ...rest] = output.split("\n");
    assert.match(link, /^https:\/\/animals\.example\.org\/#join\/[0-9A-Za-z]{22}$/);
    assert.ok(rest.join("\n").includes(drawQrCode(link, false)));
    assert.match(output, /^name +Maria\naccess +manage\nexpires +\d{4}-/m);
    assert.equal(output.includes("\x1b"), false, "no colours outside of a terminal");
    const joined = await accept(call, { code: codeOf(link), device: "Phone" });
    assert.equal(joined.json.person.name, "Maria");
    assert.equal((await call("GET", "/usage", { key: joined.json.key })).json.access, "manage");
    assert.equal((await accept(call, { code: codeOf(link) })).status, 404);
  });

  await t.test("as JSON, the invitation as the API shows it, and the link", async () => {
    const { url, ...invitation } = await readJson(...INVITE);
    assert.deepEqual((await call("GET", "/invitations?status=open")).json, [invitation]);
    assert.equal((await accept(call, { code: codeOf(url) })).status, 201);
  });

  await t.test("an invitation for one shelter names it", async () => {
    const { id } = (await call("POST", "/shelters", { body: { name: "Riverside" } })).json;
    assert.equal((await readJson(...INVITE, "--shelter", String(id))).shelterId, id);
    assert.match(await readOutput(...INVITE, "--shelter", String(id)), new RegExp(`^shelter +${id}$`, "m"));
  });

  await t.test("keys list, keys show and audit name the person", async () => {
    const { json: keys } = await call("GET", "/keys");
    const { id } = keys.find(({ name }: { name: string }) => name === "Phone");
    assert.match(await readOutput("keys", "show", String(id)), /^person +Maria \(1\)$/m);
    const [head = "", row = ""] = (await readOutput("keys", "list")).split("\n");
    assert.match(head, /LAST USED +SHELTER +PERSON$/);
    assert.match(row, /Maria$/);
    const audit = await readOutput("audit");
    assert.match(audit, /invitation\.created +keys invite +invitation 1 +name Maria, access manage/);
    assert.match(
      audit,
      /invitation\.accepted +Maria \(key \d+\) +invitation 1 +status open → accepted, personId 1/,
    );
  });

  await t.test("keys update changes no rights of a person's key", async () => {
    const { assertRefused } = commandsIn(environment);
    const id = String((await call("GET", "/keys")).json.at(-1).id);
    await assertRefused(["keys", "update", id, "--access", "admin"], /Change the person/);
    await assertRefused(["keys", "rotate", id], /cannot be rotated/);
    assert.match(await readOutput("keys", "update", id, "--name", "Tablet"), /^name +Tablet$/m);
  });

  await t.test("a name cannot control the terminal", async () => {
    const name = "\u202eeipO";
    const output = await readOutput("keys", "invite", "--name", name, "--access", "browse");
    assert.match(output, /^name +\\u202eeipO$/m);
    await joinAs({ call }, { name, access: "browse" });
    const shown = [await readOutput("keys", "list"), await readOutput("audit")];
    for (const each of shown) assert.equal(each.includes("\u202e"), false);
  });
});

test("keys invite refuses settings that the API refuses, with the names of the options", async (t) => {
  const { environment } = await makeStore(t);
  const { assertRefused, command } = commandsIn({ ...environment, PUBLIC_URL });
  await assertRefused(["keys", "invite"], /--name and --access are missing/, 2);
  await assertRefused(["keys", "invite", "--name", "Maria"], /--access is missing/, 2);
  await assertRefused(["keys", "invite", "--name", " ", "--access", "browse"], /--name must be/);
  await assertRefused([...INVITE, "--shelter", "9"], /--shelter: no shelter has the identifier 9/);
  await assertRefused([...INVITE, "--plan", "free"], /no option --plan/, 2);
  const admin = ["keys", "invite", "--name", "Ada", "--access", "admin"];
  await assertRefused([...admin, "--shelter", "1"], /--shelter is not for people with access admin/);
  assert.equal((await command(...admin)).stderr, "");
});

test("keys invite says so if the address of the link is not public", async (t) => {
  const { environment } = await makeStore(t);
  const { command } = commandsIn({ ...environment, PORT: "8123" });
  const { stdout, stderr } = await command(...INVITE);
  assert.match(stdout, /^http:\/\/127\.0\.0\.1:8123\/#join\//);
  assert.match(stderr, /PUBLIC_URL is not set/);
});

test("a QR code has every module of its text, with a border of four", () => {
  const text = `${PUBLIC_URL}/#join/4fT0bXq9LmZ2sVh7Kc1RdY`;
  const { data, size } = encode(text, { border: 0 });
  const halves: Record<string, [upper: boolean, lower: boolean]> = {
    "█": [false, false],
    "▀": [false, true],
    "▄": [true, false],
    " ": [true, true],
  };
  const lines = drawQrCode(text, false)
    .split("\n")
    .map((line) => Array.from(line, (block) => halves[block] ?? assert.fail(block)));
  const isBlack = (column: number, row: number) => lines[Math.floor(row / 2)]?.[column]?.[row % 2];
  for (let row = -4; row < size + 4; row++)
    for (let column = -4; column < size + 4; column++)
      assert.equal(isBlack(column + 4, row + 4), data[row]?.[column] ?? false, `${column}, ${row}`);
  const coloured = drawQrCode(text, true).split("\n");
  assert.ok(coloured.every((line) => line.startsWith("\x1b[97;40m") && line.endsWith("\x1b[0m")));
});
