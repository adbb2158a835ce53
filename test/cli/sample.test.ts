// `sample`, and the progress bar of long commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgressBar, withProgressBar } from "../../src/cli/progress-bar.ts";
import { runInHost } from "../harness/commands.ts";
import { makeFolder } from "../harness/folder.ts";
import { startNode } from "../harness/node.ts";
import { testOnStores } from "./stores.ts";

testOnStores("sample", async (t, { command, environment, db }) => {
  await db.transaction((tx) => tx.run("INSERT INTO categories (id, name) VALUES (2, 'Own cats')"));
  assert.equal((await command("sample")).stdout, "Added: 50 animals, with ids from 1 to 50.\n");
  const service = await startNode(t, environment);
  const { stdout } = await command("sample", "1200", "--json");
  assert.deepEqual(JSON.parse(stdout), { animals: 1200, firstId: 51, lastId: 1250 });
  const pets = (await service.call("GET", "/pets?limit=100")).json;
  assert.deepEqual(pets[0], { id: 1, name: "Luna", categoryId: 1, status: "available" });
  const plain = ({ name, categoryId, status }: Record<string, unknown>) => ({ name, categoryId, status });
  assert.deepEqual(pets.slice(50).map(plain), pets.slice(0, 50).map(plain), "the same every time");
  const { available, pending, sold } = (await service.call("GET", "/store/inventory")).json;
  assert.equal(available + pending + sold, 1_250);
  assert.ok(available > pending && pending > 0 && sold > 0);
  const categories = (await service.call("GET", "/categories")).json;
  assert.deepEqual(categories.slice(0, 2), [
    { id: 1, name: "Dogs" },
    { id: 2, name: "Own cats" },
  ]);
  const [change] = (await service.call("GET", "/pets/1/history")).json;
  assert.deepEqual([change.what, change.keyId], ["pet.created", undefined]);
});

test("sample creates a missing store, and refuses an invalid number", async (t) => {
  const environment = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` };
  assert.equal((await runInHost(["sample", "3"], environment)).code, 0);
  for (const wrong of ["0", "-1", "many", "1000001"]) {
    const result = await runInHost(["sample", "--", wrong], environment);
    assert.deepEqual(
      [result.code, /N must be a whole number from 1 to 1000000/.test(result.stderr)],
      [2, true],
    );
  }
});

test("the progress bar is drawn on terminals only", () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const terminal = createProgressBar({ isTTY: true, write } as never);
  terminal.show(50, 100, "rows");
  terminal.show(100, 100, "rows");
  terminal.end();
  terminal.end();
  const half = `${"#".repeat(15)}${".".repeat(15)}`;
  assert.deepEqual(written, [
    `\r[${half}] 50 of 100 rows\u001b[K`,
    `\r[${"#".repeat(30)}] 100 of 100 rows\u001b[K`,
    "\n",
  ]);
  written.length = 0;
  const pipe = createProgressBar({ isTTY: false, write } as never);
  pipe.show(1, 2, "rows");
  pipe.end();
  assert.deepEqual(written, []);
});

test("the progress bar ends also when the work fails, before the error is printed", async () => {
  const written: string[] = [];
  const screen = { isTTY: true, write: (text: string) => written.push(text) > 0 } as never;
  const work = withProgressBar(async (show) => {
    show(1, 2, "rows");
    throw new Error("disk full");
  }, screen);
  await assert.rejects(work, /disk full/);
  assert.equal(written.at(-1), "\n");
});
