// The programs of the guides.

import { KEY_PLACEHOLDER } from "./samples/request.ts";

export function clientProgram(base: string): string {
  return `import { createClient } from '@animal-store/client';

const client = createClient({ baseUrl: '${base}', apiKey: '${KEY_PLACEHOLDER}' });
for await (const pet of client.listPets({ status: 'available' })) {
  console.log(pet.id, pet.name);
}`;
}

export function pythonProgram(base: string): string {
  return `import json
import re
import time
import urllib.error
import urllib.request

BASE = "${base}"
KEY = "${KEY_PLACEHOLDER}"


def send(method, url, body=None):
    headers = {"Authorization": "Bearer " + KEY}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    request = urllib.request.Request(url, method=method, headers=headers, data=body)
    while True:
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers.get("Retry-After", "60")))


def call(method, path, body=None):
    with send(method, BASE + path, body) as response:
        return json.load(response)


def read_all(path):
    url = BASE + path
    while url:
        with send("GET", url) as response:
            yield from json.load(response)
            next_link = re.search('<([^>]+)>; rel="next"', response.headers.get("Link", ""))
        url = next_link and next_link[1]


rex = call("POST", "/pets", {"name": "Rex", "categoryId": 3})
print("Added", rex["id"])
for pet in read_all("/pets?status=available"):
    print(pet["id"], pet["name"])`;
}

/** Follows the program above. */
export function pythonEvents(): string {
  return `for event in read_all("/events?wait=25"):
    print(event["number"], event["type"], event["data"], flush=True)`;
}

export function websiteProgram(base: string): string {
  return `import { createClient, FeedResetError } from '@animal-store/client';

const client = createClient({ baseUrl: '${base}', apiKey: '${KEY_PLACEHOLDER}' });
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function card({ name, ageGroup, profile, photos: [cover] }) {
  const widths = Object.entries(cover?.urls ?? {}).map(([width, url]) => \`\${url} \${width}w\`);
  const picture = cover ? \`<img srcset="\${widths.join(', ')}" alt="\${escape(cover.alt)}">\` : '';
  const facts = [ageGroup, ...(profile.breeds ?? [])].filter(Boolean).map(escape).join(', ');
  return \`<li>\${picture}<b>\${escape(name)}</b> \${facts}</li>\`;
}

for (;;) {
  // The position before the list: no change between the two is missed.
  const after = await client.latestCursor();
  const animals = new Map();
  const show = () => console.log(\`<ul>\${[...animals.values()].map(card).join('')}</ul>\`);
  for await (const listing of client.listListings({ limit: 100 })) animals.set(listing.id, listing);
  show();
  try {
    for await (const { data } of client.events({ after, types: ['pet.*', 'listing.*'] })) {
      const { id } = data.listing ?? data.pet;
      const [listing] = (await client.listListings({ ids: String(id) }).page()).items;
      if (listing) animals.set(id, listing);
      else animals.delete(id);
      show();
    }
  } catch (error) {
    // The store was restored or copied: begin again.
    if (!(error instanceof FeedResetError)) throw error;
  }
}`;
}

export function eventsProgram(base: string): string {
  return `let url = '${base}/events?after=now&wait=25';
for (;;) {
  const response = await fetch(url, { headers: { authorization: 'Bearer ${KEY_PLACEHOLDER}' } });
  if (!response.ok) throw new Error(await response.text());
  for (const { type, data } of await response.json()) console.log(type, data);
  const link = response.headers.get('link');
  url = link.slice(1, link.indexOf('>'));
}`;
}

export function streamProgram(base: string): string {
  return `import { createClient } from '@animal-store/client';

const client = createClient({ baseUrl: '${base}', apiKey: '${KEY_PLACEHOLDER}' });
for await (const { type, data } of client.events({ after: 'now' })) console.log(type, data);`;
}

export function relayProgram(base: string): string {
  return `import { createServer } from 'node:http';
import { createClient } from '@animal-store/client';

const pages = new Set();
createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(': connected\\n\\n');
  response.on('close', () => pages.delete(response));
  pages.add(response);
}).listen(3001);

const client = createClient({ baseUrl: '${base}', apiKey: '${KEY_PLACEHOLDER}' });
// Numbers that a double cannot represent become strings.
const exact = (name, value) => (typeof value === 'bigint' ? String(value) : value);
for await (const { type, data } of client.events({ after: 'now', types: ['pet.*', 'listing.*'] })) {
  const text = \`event: \${type}\\ndata: \${JSON.stringify(data, exact)}\\n\\n\`;
  for (const page of pages) {
    // A page that does not read must not fill the memory.
    if (page.writableLength > 1_000_000) page.destroy();
    else page.write(text);
  }
}`;
}

/** In a page of the site of the relay. */
export function pageProgram(): string {
  return `const changes = new EventSource('/changes');
changes.addEventListener('open', () => console.log('Read the lists again'));
for (const type of ['pet.created', 'pet.updated', 'pet.deleted', 'listing.updated'])
  changes.addEventListener(type, ({ data }) => console.log(type, JSON.parse(data)));`;
}

export function receiverProgram(): string {
  return `import { createServer } from 'node:http';
import { verifyWebhook } from '@animal-store/client';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook('whsec_…', request.headers, Buffer.concat(chunks));
    console.log(event.number, event.type, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(3000);`;
}

export function pagingProgram(base: string): string {
  return `let url = '${base}/pets?status=available';
while (url) {
  const response = await fetch(url, { headers: { authorization: 'Bearer ${KEY_PLACEHOLDER}' } });
  if (!response.ok) throw new Error(await response.text());
  for (const pet of await response.json()) console.log(pet.id, pet.name);
  const links = response.headers.get('link')?.split(', ') ?? [];
  const next = links.find((link) => link.endsWith('rel="next"'));
  url = next?.slice(1, next.indexOf('>'));
}`;
}

export function pythonVerification(): string {
  return `import base64
import hashlib
import hmac
import re
import time


def is_genuine(secret, headers, body):
    event_id, timestamp, signatures = (
        headers.get("webhook-" + name, "") for name in ("id", "timestamp", "signature")
    )
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 5 * 60:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any([hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")])`;
}
