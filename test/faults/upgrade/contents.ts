// Data of every kind, stored through one release and read through another.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { hammerUntilBanned } from "../../harness/clients/ban.ts";
import type { Answer, Call } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { nextPath } from "../../harness/clients/pages.ts";
import type { Node } from "../../harness/servers/service.ts";
import type { PreviousRelease } from "./previous-release.ts";

/** Every node has this public URL, so that links do not differ by port. */
export const PUBLIC_URL = "https://animals.example.org";

/** A POST with an Idempotency-Key, and its first response. */
export interface Post {
  path: string;
  body: object;
  idempotencyKey: string;
  answer: Answer;
}

export interface Contents {
  /** A Free key that has used SPENT requests. */
  spentKey: string;
  bannedKey: string;
  revokedKey: string;
  /** A key with both of its secrets. */
  rotated: { id: number; keys: string[] };
  /** The animal is the last change in the history. */
  posts: [pet: Post, key: Post];
}

export const SPENT = 7;

const LISTS = [
  "/pets?limit=3",
  "/pets?status=sold",
  "/pets/1/history",
  "/pets/5/history?limit=1",
  "/store/orders",
  "/store/orders/2",
  "/store/inventory",
  "/categories",
  "/keys",
];
const LISTING_LISTS = ["/listings?status=any&sort=oldest", "/listings/1", "/listings?q=beagle", "/webhooks"];

/** The lists that a release has. */
export function listsOf({ hasListings }: PreviousRelease): string[] {
  return hasListings ? [...LISTS, ...LISTING_LISTS] : LISTS;
}

export async function fillStore(
  { call, createKey }: Node,
  { hasListings }: PreviousRelease,
): Promise<Contents> {
  await change(call, "PUT", "/categories/3", { name: "Dogs" });
  await change(call, "PUT", "/categories/4", { name: "Cats" });
  for (const name of ["Rex", "Mia 🐈", "Żółw", "=1+1"])
    await change(call, "POST", "/pets", { name, categoryId: 3 });
  // Larger than the integers that a JavaScript number can hold.
  await change(call, "POST", "/pets", '{"name":"Big","categoryId":9007199254740993}');
  await change(call, "PATCH", "/pets/3", { status: "sold" });
  await change(call, "DELETE", "/pets/5");
  await change(call, "POST", "/store/orders", { petId: 1, reference: "case 1" });
  await change(call, "POST", "/store/orders", { petId: 2, reference: "case 2" });
  await change(call, "PATCH", "/store/orders/2", { status: "approved" });
  if (hasListings) await fillListings(call);
  const posts = await sendPosts(call, "first");

  const revoked = await createKey();
  await change(call, "DELETE", `/keys/${revoked.id}`);
  const rotated = await createKey();
  const { key: newSecret } = (await change(call, "POST", `/keys/${rotated.id}/rotate`, {})).json;
  const banned = await createKey({ plan: "enterprise", perMinute: 1, perDay: 100 });
  await hammerUntilBanned(call, banned.key);
  const spent = await createKey();
  for (let i = 0; i < SPENT; i++) await change(call, "GET", "/pets/1", undefined, spent.key);
  // The use of a deprecated operation is stored after its response.
  while (!(await call("GET", `/keys/${spent.id}`)).text.includes("deprecatedUsedAt")) await pause(10);
  return {
    spentKey: spent.key,
    bannedKey: banned.key,
    revokedKey: revoked.key,
    rotated: { id: rotated.id, keys: [rotated.key, newSecret] },
    posts,
  };
}

/** The webhook is disabled, so that its attempts change nothing while the lists are compared. */
async function fillListings(call: Call): Promise<void> {
  await change(call, "PATCH", "/pets/1/profile", {
    species: "dog",
    breeds: ["Beagle"],
    bornOn: "2024-05-31",
    goodWith: { children: "yes" },
    description: "Calm.\nLoves children.",
    fee: { amount: 15000, currency: "EUR" },
    externalId: "A-1",
  });
  const photo = await call("POST", "/pets/1/photos?alt=Rex", {
    body: await drawImage("brown"),
    headers: { "content-type": "image/png" },
  });
  assert.equal(photo.status, 201, photo.text);
  const webhook = await change(call, "POST", "/webhooks", { url: "https://203.0.113.1/animals" });
  await change(call, "PATCH", `/webhooks/${webhook.json.id}`, { status: "disabled" });
}

/** Creates an animal and a key. The stored response with the key is encrypted. */
export async function sendPosts(call: Call, idempotencyKey: string): Promise<[pet: Post, key: Post]> {
  const sendFirst = async (path: string, body: object): Promise<Post> => {
    const request = { path, body, idempotencyKey };
    const answer = await send(call, request);
    assert.deepEqual([answer.status, answer.headers["idempotent-replayed"]], [201, undefined], answer.text);
    return { ...request, answer };
  };
  return [
    await sendFirst("/pets", { name: "Once", categoryId: 4 }),
    await sendFirst("/keys", { name: "Once", plan: "pro" }),
  ];
}

/** Each post is answered with its first response, byte for byte, and refused with another body. */
export async function assertReplayed(call: Call, posts: Post[]): Promise<void> {
  for (const post of posts) {
    const { status, text, headers } = await send(call, post);
    assert.deepEqual(
      { status, text, location: headers.location, replayed: headers["idempotent-replayed"] },
      { status: 201, text: post.answer.text, location: post.answer.headers.location, replayed: "true" },
    );
    const other = await send(call, { ...post, body: { ...post.body, name: "Another" } });
    assert.equal(other.json.code, "idempotency_key_reused");
  }
}

function send(call: Call, { path, body, idempotencyKey }: Omit<Post, "answer">): Promise<Answer> {
  return call("POST", path, { body, headers: { "idempotency-key": idempotencyKey } });
}

export interface Page {
  text: string;
  etag: string | undefined;
  /** The path of the next page; empty on the last one. */
  next: string;
}

/** Every resource, in a form that is equal if and only if clients see the same. */
export async function readAll(call: Call, lists: string[]): Promise<Record<string, Page>> {
  const pages: Record<string, Page> = {};
  for (const path of lists) {
    const answer = await call("GET", path);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    // Reading itself changes the last use of the caller's key.
    const text = answer.text.replaceAll(/,?"lastUsedAt":"[^"]*"/g, "");
    pages[path] = { text, etag: answer.headers.etag, next: nextPath(answer) };
  }
  return pages;
}

async function change(
  call: Call,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
  const answer = await call(method, path, { body, ...(key !== undefined && { key }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer;
}
