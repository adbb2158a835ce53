// A store with several shelters and their keys, for the tests of shelters.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { startApp } from "../harness/servers/app.ts";

export const BERLIN = { latitude: 52.52, longitude: 13.405 };
export const POTSDAM = { latitude: 52.39, longitude: 13.06 };
/** No shelter has it. */
export const UNKNOWN = "9007199254740993";

export async function startNetwork(t: TestContext) {
  const app = await startApp(t);
  const { call } = app;
  const addShelter = async (members: object = {}): Promise<number> => {
    const answer = await call("POST", "/shelters", { body: { name: "Riverside", ...members } });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.id;
  };
  const createKey = async (settings: object): Promise<string> =>
    (await app.createKey({ plan: "business", ...settings })).key;
  const move = (petId: number, shelterId: unknown, key?: string) =>
    call("PATCH", `/pets/${petId}/profile`, { body: { shelterId }, ...(key !== undefined && { key }) });
  return { ...app, addShelter, createKey, move };
}
