// People and invitations in the stores: who gets a key, how it follows its person, and what ends it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ServiceError } from "../../src/domain/basics/errors.ts";
import type { Access } from "../../src/domain/keys/plan.ts";
import type { NewInvitation } from "../../src/domain/people/invitation.ts";
import { DEVICES_MAX, type PersonSettings, revisePerson } from "../../src/domain/people/person.ts";
import type { Database } from "../../src/storage/database.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { createInvitationStore } from "../../src/storage/stores/people/invitations.ts";
import { createPersonStore } from "../../src/storage/stores/people/people.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { column } from "../harness/clients/pages.ts";
import { countRows, testOnEngines, testOnTwoNodes } from "./engines.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_000;
const MARIA: PersonSettings = { name: "Maria", access: "manage" };
const digest = (text: string) => createHash("sha256").update(text).digest();

/** No two tests use the same code. */
let codes = 0;

function createScene(db: Database) {
  const changed: Array<[id: bigint, version: number]> = [];
  const noteChange = async (id: bigint, version: number) => void changed.push([id, version]);
  const [people, invitations, keys] = [
    createPersonStore(db, noteChange),
    createInvitationStore(db),
    createKeyStore(db),
  ];
  const invite = async (who: NewInvitation = MARIA, endsAtMs = NOW_MS + DAY_MS) => {
    const code = `code ${++codes}`;
    const invitation = await invitations.create(who, digest(code), () => endsAtMs, stampAt(NOW_MS));
    return { code, invitation };
  };
  const accept = (code: string, atMs = NOW_MS, secret = `secret of ${code} ${codes}`) =>
    invitations.accept(digest(code), {
      name: "Phone",
      issue: () => ({ hash: digest(secret), hint: "ask_live_abcd" }),
      atMs,
    });
  /** A new person with one device. */
  const join = async (who: NewInvitation = MARIA) => {
    const { code } = await invite(who);
    return (await accept(code)) ?? assert.fail("not accepted");
  };
  const link = async (keyId: bigint, expiresAtMs = NOW_MS + 600_000) => {
    const code = `link ${++codes}`;
    await invitations.createLink(keyId, { codeHash: digest(code), expiresAtMs }, stampAt(NOW_MS));
    return code;
  };
  return { people, invitations, keys, changed, invite, accept, join, link };
}

testOnEngines("Invitations of people", async (t, db) => {
  const { people, invitations, invite, accept, join } = createScene(db);

  await t.test("a known person gets another device, with their current name and rights", async () => {
    const { person } = await join();
    const { code } = await invite({ personId: person.id });
    await people.update(
      person.id,
      (before) => revisePerson(before, { name: "Mia", access: "adopt" }),
      stampAt(NOW_MS),
    );
    const open = (await invitations.list({ status: "open" }, { limit: 9 }, NOW_MS)).at(-1);
    assert.deepEqual([open?.name, open?.access, open?.personId], ["Mia", "adopt", person.id]);
    const joined = (await accept(code)) ?? assert.fail();
    assert.deepEqual([joined.person.id, joined.person.devices, joined.key.access], [person.id, 2, "adopt"]);
    assert.deepEqual(joined.key.person, { id: person.id, name: "Mia" });
  });

  await t.test(
    "an invitation made for lower access ends within a day once the person is an admin",
    async () => {
      const { person } = await join();
      const { code } = await invite({ personId: person.id }, NOW_MS + 30 * DAY_MS);
      await people.update(person.id, (before) => revisePerson(before, { access: "admin" }), stampAt(NOW_MS));
      assert.equal(await accept(code, NOW_MS + DAY_MS), undefined);
      const { access } = (await accept(code, NOW_MS + DAY_MS - 1))?.key ?? assert.fail();
      assert.equal(access satisfies Access, "admin");
    },
  );

  await t.test("nothing is done without its audit record", async () => {
    const { person, key } = await join();
    const { code } = await invite();
    const refusing = createScene(withoutAudit(db));
    const attempts = [
      () => refusing.invite({ name: "Silent", access: "browse" }),
      () => refusing.accept(code),
      () => refusing.link(key.id),
      () => refusing.people.end(person.id, stampAt(NOW_MS)),
      () => refusing.people.update(person.id, (before) => ({ ...before, name: "Silent" }), stampAt(NOW_MS)),
    ];
    const before = await people.list({ limit: 99 });
    for (const attempt of attempts) await assert.rejects(attempt(), /no audit record/);
    assert.deepEqual(await people.list({ limit: 99 }), before);
    assert.equal(await countRows(db, "invitations WHERE name = 'Silent'"), 0);
    assert.ok(await accept(code), "the code was not used up");
  });
});

testOnEngines("Keys, links and devices of a person", async (t, db) => {
  const { people, invitations, keys, changed, invite, accept, join, link } = createScene(db);

  await t.test("a change of a person changes all their keys, each with a new version", async () => {
    const { person, key } = await join();
    const second = (await accept(await link(key.id))) ?? assert.fail();
    const third = (await accept(await link(key.id))) ?? assert.fail();
    await keys.revoke(third.key.id, stampAt(NOW_MS));
    changed.length = 0;
    const update = () =>
      people.update(person.id, (before) => revisePerson(before, { access: "browse" }), stampAt(NOW_MS));
    const after = await update();
    assert.deepEqual([after?.access, after?.devices], ["browse", 2]);
    assert.deepEqual(changed.map(([id]) => id).sort(), [key.id, second.key.id].sort());
    assert.equal(new Set(changed.map(([, version]) => version)).size, 2);
    for (const [id, version] of changed) {
      const found = await keys.find(id);
      assert.deepEqual([found?.access, found?.version], ["browse", version]);
    }
    assert.equal((await keys.find(third.key.id))?.access, "manage", "a revoked key stays as it was");
    changed.length = 0;
    await update();
    assert.deepEqual(changed, [], "nothing differs");
  });

  await t.test("a revoked key gets no link", async () => {
    const { key } = await join();
    await keys.revoke(key.id, stampAt(NOW_MS));
    const refused = { codeHash: digest("x"), expiresAtMs: NOW_MS + 1 };
    assert.equal(await invitations.createLink(key.id, refused, stampAt(NOW_MS)), false);
  });

  await t.test("links that have expired are deleted", async () => {
    const { key } = await join();
    await link(key.id, NOW_MS + 50);
    await link(key.id, NOW_MS + 60);
    const expiredBy = (atMs: number) => countRows(db, `device_links WHERE expires_at_ms <= ${atMs}`);
    while ((await invitations.forget(NOW_MS + 50)) > 0);
    assert.deepEqual([await expiredBy(NOW_MS + 50), await expiredBy(NOW_MS + 60)], [0, 1]);
  });

  await t.test("a person has a bounded number of devices", async () => {
    const { key } = await join();
    for (let devices = 1; devices < DEVICES_MAX; devices++) assert.ok(await accept(await link(key.id)));
    const code = await link(key.id);
    await assert.rejects(accept(code), { code: "invalid_transition" });
    const { code: another } = await invite({ personId: key.person?.id ?? 0n });
    await assert.rejects(accept(another), { code: "invalid_transition" });
    await keys.revoke(key.id, stampAt(NOW_MS));
    assert.ok(await accept(another), "the code was not used up");
  });
});

testOnEngines("People of a shelter", async (t, db) => {
  const { people, invitations, keys, invite, accept, join } = createScene(db);
  const shelters = createShelterStore(db);
  const { id: shelterId } = await shelters.create({ name: "Riverside" }, stampAt(NOW_MS));
  const ofShelter: PersonSettings = { ...MARIA, shelterId };
  const tryDelete = () => shelters.delete(shelterId, stampAt(NOW_MS));

  await t.test("a shelter with people stays, also if none of them is signed in", async () => {
    const { person, key } = await join(ofShelter);
    await keys.revoke(key.id, stampAt(NOW_MS));
    await assert.rejects(tryDelete(), { code: "shelter_in_use" });
    await assert.rejects(
      db.transaction((tx) => tx.run("DELETE FROM shelters WHERE id = $1", [shelterId])),
      (error) => !(error instanceof ServiceError) || error.code !== "shelter_in_use",
      "by the database itself too",
    );
    await people.end(person.id, stampAt(NOW_MS));
  });

  await t.test("the end of a shelter revokes open invitations to it", async () => {
    const { code, invitation } = await invite(ofShelter);
    const { code: elsewhere } = await invite();
    assert.equal(await tryDelete(), true);
    assert.equal(await accept(code), undefined);
    const [revoked] = await invitations.list({ status: "revoked" }, { limit: 9 }, NOW_MS);
    assert.deepEqual([revoked?.id, revoked?.revokedAtMs], [invitation.id, NOW_MS]);
    const [newest] = await createAuditStore(db).list({ limit: 1 });
    assert.deepEqual(
      [newest?.action, newest?.target],
      ["invitation.revoked", { invitationId: invitation.id }],
    );
    assert.ok(await accept(elsewhere));
  });
});

testOnTwoNodes("Forty attempts to accept one code on two nodes", async (t, nodes) => {
  const scenes = nodes.map(createScene) as [ReturnType<typeof createScene>, ReturnType<typeof createScene>];
  const [first, second] = scenes;
  const attempt = async (code: string) => {
    const tries = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? first : second).accept(code, NOW_MS, `secret ${index} of ${code}`),
    );
    return (await Promise.all(tries)).filter((joined) => joined !== undefined);
  };

  await t.test("make one person with one key", async () => {
    const { code } = await first.invite();
    const [joined = assert.fail(), ...others] = await attempt(code);
    assert.deepEqual(others, []);
    assert.deepEqual(await second.people.list({ limit: 9 }), [joined.person]);
    assert.deepEqual(column(await second.keys.list({ limit: 9 }), "id"), [joined.key.id]);
  });

  await t.test("make one more key of a known person, by an invitation and by a link", async () => {
    const [person = assert.fail()] = await first.people.list({ limit: 1 });
    const [key = assert.fail()] = await first.keys.list({ limit: 1 });
    const { code } = await first.invite({ personId: person.id });
    for (const each of [code, await first.link(key.id)]) assert.equal((await attempt(each)).length, 1);
    const [after] = await second.people.list({ limit: 9 });
    assert.equal(after?.devices, 3);
  });

  await t.test("leave no valid key if the person is ended at the same moment", async () => {
    const { person } = await first.join();
    const { code } = await first.invite({ personId: person.id });
    await Promise.all([attempt(code), second.people.end(person.id, stampAt(NOW_MS))]);
    const left = await countRows(
      nodes[0],
      `api_keys WHERE person_id = ${person.id} AND revoked_at_ms IS NULL`,
    );
    assert.equal(left, 0);
    assert.equal(await first.accept(code), undefined);
  });
});
