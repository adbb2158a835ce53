// `shelters`: every subcommand, for people and for programs, and the shelter of a key.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { commandsIn } from "../harness/clients/commands.ts";
import { fillStore, makeClosedStore, testOnStores } from "./stores.ts";

const CONTACT = "--email hello@riverside.example --phone +49 --website https://riverside.example";
const PLACE =
  "--street Uferweg --postal-code 10115 --city Berlin --country DE --latitude -33.5 --longitude 13";

testOnStores("shelters", async (t, { environment }) => {
  const { readOutput, readJson, assertRefused } = commandsIn(environment);
  const ask = (...args: string[]) => readJson("shelters", ...args);

  await t.test("shelters list shows the first shelter of a new store", async () => {
    assert.match(await readOutput("shelters", "list"), /^ID +NAME +CITY +EMAIL +PHONE\n1 +Our shelter\n$/);
    const [{ createdAt, updatedAt, ...first }, ...others] = await ask("list");
    assert.deepEqual([first, createdAt, others], [{ id: 1, name: "Our shelter" }, updatedAt, []]);
  });

  await t.test("shelters create stores every member; show prints them", async () => {
    const line = `create --name Riverside ${CONTACT} --adopt-url https://riverside.example/adopt ${PLACE} --region Berlin`;
    const texts = ["--about", "We care.\nCome by.", "--opening-hours", "Tue-Sun\n13:00"];
    const { createdAt, updatedAt, ...created } = await ask(...line.split(" "), ...texts);
    assert.deepEqual(created, {
      id: 2,
      name: "Riverside",
      about: "We care.\nCome by.",
      email: "hello@riverside.example",
      phone: "+49",
      website: "https://riverside.example",
      adoptUrl: "https://riverside.example/adopt",
      address: { street: "Uferweg", postalCode: "10115", city: "Berlin", region: "Berlin", country: "DE" },
      location: { latitude: -33.5, longitude: 13 },
      openingHours: "Tue-Sun\n13:00",
    });
    assert.deepEqual(await ask("show", "2"), { ...created, createdAt, updatedAt });
    const shown = await readOutput("shelters", "show", "2");
    assert.match(shown, /^id +2\nname +Riverside\nabout +We care\.\n {15}Come by\.\nemail +hello@/);
    assert.match(shown, /^address +Uferweg, 10115 Berlin, Berlin, DE\nlocation +-33\.5, 13\nopening hours /m);
    assert.match(
      await readOutput("shelters", "list"),
      /^2 +Riverside +Berlin +hello@riverside\.example +\+49$/m,
    );
  });

  await t.test("shelters update changes the given members, and none removes one", async () => {
    const changed = await ask("update", "2", "--city", "Potsdam", "--phone", "none", "--longitude=-1");
    assert.deepEqual(changed.address, {
      street: "Uferweg",
      postalCode: "10115",
      city: "Potsdam",
      region: "Berlin",
      country: "DE",
    });
    assert.deepEqual([changed.phone, changed.location], [undefined, { latitude: -33.5, longitude: -1 }]);
    assert.equal(changed.email, "hello@riverside.example");
    const without = await ask("update", "2", "--latitude", "none", "--longitude", "", "--about", "");
    assert.deepEqual([without.location, without.about], [undefined, undefined]);
    assert.match(await readOutput("shelters", "update", "2", "--name", "Harbour"), /^name +Harbour$/m);
  });

  await t.test("bad options are refused with the option and what is allowed; nothing changes", async () => {
    const before = await ask("list");
    const refused: Record<string, RegExp> = {
      create: /--name is missing\. See: /,
      "create --name x --country de --email a":
        /--email must be an e-mail.*; --country must be a country code/,
      "create --name x --latitude 91 --longitude 1": /--latitude must be a number from -90 to 90/,
      "create --name x --latitude 1,5 --longitude NaN": /--latitude must be .*; --longitude must be a number/,
      "create --name x --latitude 1": /--latitude and --longitude belong together/,
      "create --name x --website http://x.example": /--website must be/,
      "update 2": /There is nothing to change: give at least one member/,
      "update 2 --name none --city none --latitude 5": /belong together/,
      "update x --name y": /"x" is not a shelter id; "shelters list" shows the ids/,
      "show 2 --near 1": /There is no option --near/,
    };
    for (const [line, says] of Object.entries(refused))
      await assertRefused(["shelters", ...line.split(" ")], says, 2);
    await assertRefused(["shelters", "create", "--name", " "], /--name must be 1 to 100 characters/, 2);
    for (const line of ["show 9", "update 9 --name x", "delete 9"])
      await assertRefused(
        ["shelters", ...line.split(" ")],
        "No shelter has this identifier. List them: npm run -s animal-store -- shelters list",
      );
    assert.deepEqual(await ask("list"), before);
  });

  await t.test("the audit log names the shelter, the command and what has changed", async () => {
    const log = await readOutput("audit");
    assert.match(log, /shelter\.created +shelters create +shelter 2 +name Riverside, about We care/);
    const address = String.raw`\(Uferweg, 10115, Berlin, Berlin, DE\) → \(Uferweg, 10115, Potsdam, Berlin, DE\)`;
    assert.match(
      log,
      new RegExp(`shelter.updated +shelters update +shelter 2 +phone .49 → none, address ${address}`),
    );
  });
});

testOnStores("shelters and their keys", async (t, { environment, db }) => {
  const { readOutput, readJson, assertRefused } = commandsIn(environment);
  const ask = (...args: string[]) => readJson("shelters", ...args);
  const moveAll = (id: number) => db.transaction((tx) => tx.run("UPDATE pets SET shelter_id = $1", [id]));
  await ask("create", "--name", "Riverside");

  await t.test("keys create and update limit a key to a shelter, and none removes the limit", async () => {
    const create = "keys create --name Kiosk --plan free --shelter 2".split(" ");
    const { id, shelterId } = await readJson(...create);
    assert.equal(shelterId, 2);
    assert.match(await readOutput("keys", "show", `${id}`), /^access +manage\nshelter +2\nstate +active$/m);
    assert.match(await readOutput("keys", "list"), /LAST USED +SHELTER\n.* never +2\n/);
    assert.equal((await readJson("keys", "update", `${id}`, "--shelter", "none")).shelterId, undefined);
    assert.doesNotMatch(await readOutput("keys", "show", `${id}`), /^shelter/m);
    assert.equal((await readJson("keys", "update", `${id}`, "--shelter", "2")).shelterId, 2);
    await assertRefused([...create.slice(0, -1), "9"], /--shelter: no shelter .*shelters list/);
    await assertRefused(
      [...create, "--access", "admin"],
      /--shelter is not for keys with access admin: .*--shelter none/,
    );
    await assertRefused(
      [...create.slice(0, -1), "all"],
      /--shelter must be the id of a shelter, or none\./,
      2,
    );
  });

  await t.test("shelters delete refuses a shelter with keys or animals, and the first one", async () => {
    await fillStore(db, 1);
    await moveAll(2);
    const isUsed = /The shelter has animals, people or API keys.*"keys list" shows the shelter of each key/;
    await assertRefused(["shelters", "delete", "2"], isUsed);
    await readOutput("keys", "revoke", "1");
    await assertRefused(["shelters", "delete", "2"], isUsed);
    await assertRefused(["shelters", "delete", "1"], /: The first shelter always stays\.$/m);
    await moveAll(1);
    assert.equal(await readOutput("shelters", "delete", "2"), "Shelter 2 is deleted.\n");
    assert.equal((await ask("create", "--name", "Next")).id, 3);
    assert.deepEqual(await ask("delete", "3"), { id: 3 });
  });

  await t.test("a deletion is in the audit log and in the events", async () => {
    assert.match(await readOutput("audit"), /shelter\.deleted +shelters delete +shelter 3 /);
    assert.match(await readOutput("events"), /shelter\.deleted +\{"shelter":\{"id":3,"name":"Next"/);
  });
});

test("backup and restore keep the shelters", async (t) => {
  const { folder, environment } = await makeClosedStore(t);
  const { readOutput, readJson } = commandsIn(environment);
  await readOutput("shelters", "create", ...`--name Riverside ${CONTACT} ${PLACE}`.split(" "));
  await readOutput(..."keys create --name Kiosk --plan free --shelter 2".split(" "));
  const before = await readJson("shelters", "list");
  const backup = join(folder, "backup.db");
  await readOutput("backup", backup);
  await readOutput("shelters", "update", "2", "--name", "Later", "--city", "none");
  await readOutput("restore", backup, "--force");
  assert.deepEqual(await readJson("shelters", "list"), before);
  assert.equal((await readJson("keys", "list"))[0].shelterId, 2);
});
