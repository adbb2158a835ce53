// Which of several servers that take writes is used.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createChooser } from "../../../src/storage/postgres/server-choice.ts";

const serverOf = (name: string, timeline: number, newest = 0, instance = name) => ({
  name,
  instance,
  timeline,
  newest,
});
type Server = ReturnType<typeof serverOf>;

/** The names of the best server and of those with an older history. `isOnly`: no other server has another history. */
function createChoice({ isOnly = false } = {}) {
  const chooser = createChooser<Server>();
  const histories = { readNewest: async ({ newest }: Server) => newest, isOnly: async () => isOnly };
  const choose = async (...writable: Server[]) => {
    const { best, older } = await chooser.choose(writable, histories);
    return [best?.name, older.map(({ name }) => name)];
  };
  return Object.assign(choose, chooser);
}

test("the higher timeline wins, whatever the numbers of the histories", async () => {
  assert.deepEqual(await createChoice()(serverOf("a", 1, 500), serverOf("b", 2, 3)), ["b", ["a"]]);
});

test("with equal timelines, the history with the higher number wins, then the first server", async () => {
  const choose = createChoice();
  assert.deepEqual(await choose(serverOf("a", 2, 7), serverOf("b", 2, 8)), ["b", ["a"]]);
  assert.deepEqual(await choose(serverOf("a", 2, 9), serverOf("b", 2, 8)), ["a", ["b"]]);
  assert.deepEqual(await choose(serverOf("a", 2, 9), serverOf("b", 2, 9)), ["a", ["b"]]);
});

test("a single server is used without a look at its history, also under two addresses", async () => {
  const { choose } = createChooser<Server>();
  const fail = {
    readNewest: async () => assert.fail("not needed"),
    isOnly: async () => assert.fail("not needed"),
  };
  const one = serverOf("a", 1);
  assert.equal((await choose([one], fail)).best, one);
  const again = serverOf("b", 1, 0, "a");
  assert.deepEqual(await choose([one, again], fail), { best: one, older: [] });
  assert.deepEqual(await choose([], fail), { best: undefined, older: [] });
});

test("a server that has lost is not used while the winner is away", async () => {
  const choose = createChoice();
  const [old, other, promoted] = [serverOf("a", 1), serverOf("c", 2, 3), serverOf("b", 2, 7)];
  assert.deepEqual(await choose(old), ["a", []]);
  assert.deepEqual(await choose(promoted), ["b", []]);
  assert.deepEqual(await choose(old), [undefined, ["a"]], "it was never seen together with the winner");
  assert.deepEqual(await choose(promoted, other), ["b", ["c"]]);
  assert.deepEqual(await choose(other), [undefined, ["c"]]);
  assert.deepEqual(await choose(other, old), [undefined, ["c", "a"]]);
  assert.deepEqual(await choose(promoted, old), ["b", ["a"]], "it comes back");
});

test("a server that has lost is not used after it has started again", async () => {
  const choose = createChoice();
  const [lost, promoted, again] = [serverOf("a", 2, 3), serverOf("b", 2, 7), serverOf("a", 2, 3, "again")];
  await choose(promoted, lost);
  assert.deepEqual(await choose(again), [undefined, ["a"]]);
});

test("of several servers that have lost, none is used while the winner is away", async () => {
  const choose = createChoice({ isOnly: true });
  const [one, other] = [serverOf("a", 2, 3), serverOf("c", 2, 4)];
  await choose(one, serverOf("b", 2, 7), other);
  assert.deepEqual(await choose(one, other), [undefined, ["a", "c"]]);
});

const AGAIN: Record<string, (choose: ReturnType<typeof createChoice>) => Server> = {
  "has been promoted since": () => serverOf("a", 3, 0, "again"),
  "has rejoined the winner, and started without a promotion": (choose) => {
    assert.ok(choose.hasLost("a"));
    choose.forgive("a");
    assert.ok(!choose.hasLost("a"));
    return serverOf("a", 2, 9, "again");
  },
};

for (const [what, rejoin] of Object.entries(AGAIN))
  test(`a server that has lost is used when it ${what}`, async () => {
    const choose = createChoice();
    await choose(serverOf("a", 2, 3), serverOf("b", 2, 7));
    assert.deepEqual(await choose(rejoin(choose)), ["a", []]);
  });

test("a server that has lost is used when no server has the winner's history any more", async () => {
  const choose = createChoice({ isOnly: true });
  const old = serverOf("a", 1);
  await choose(old, serverOf("b", 2));
  assert.deepEqual(await choose(old), ["a", []]);
  assert.deepEqual(await choose(serverOf("b", 2, 0, "promoted again"), old), ["b", ["a"]]);
});
