// The table of URLs that webhooks may and may not be sent to.

import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import os, { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createAddressRules, type HostPort } from "../../../src/webhooks/addresses.ts";
import { AttemptError } from "../../../src/webhooks/failures.ts";
import { createTargets, type Targets } from "../../../src/webhooks/targets.ts";

const NO_PROXIES = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };

const OWN = [
  { host: "animals.example.org", port: 443 },
  { host: "0.0.0.0", port: 8080 },
];

/** Answers of DNS. */
const NAMES: Record<string, string[]> = {
  "hooks.example.net": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "animals.example.org": ["93.184.215.15"],
  "localhost.example.net": ["93.184.215.14"],
  "half.example.net": ["10.0.0.5", "93.184.215.14"],
  "inner.example.net": ["10.0.0.5"],
  "all-inner.example.net": ["10.0.0.5", "127.0.0.1", "fd12::1", "fe80::1%eth0"],
  "mapped.example.net": ["::ffff:127.0.0.1"],
  "mapped-hex.example.net": ["::ffff:7f00:1"],
  "meta.example.net": ["169.254.169.254"],
  "nat64.example.net": ["64:ff9b::a00:5"],
  "6to4.example.net": ["2002:a00:5::"],
  "xn--bcher-kva.example": ["93.184.215.14"],
  "xn--strae-oqa.example": ["93.184.215.14"],
  // As an absolute name.
  "animals.example.org.": ["93.184.215.15"],
  "a_b.example.net": ["93.184.215.14"],
  receiver: ["172.18.0.3"],
};

function targetsWith(
  options: {
    allowHttp?: boolean;
    allow?: string[];
    own?: HostPort[];
    httpsProxy?: string;
    refusalMs?: number;
  } = {},
): Targets {
  const { allowHttp = false, allow = [], own = OWN, httpsProxy, refusalMs = 0 } = options;
  const rules = createAddressRules({ allowHttp, allow, findOwn: () => own });
  return createTargets({
    rules,
    proxies: { ...NO_PROXIES, httpsProxy },
    refusalMs,
    async resolve(host) {
      const found = NAMES[host];
      if (found === undefined) throw new AttemptError("name_without_address");
      return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
}

const PUBLIC = targetsWith();

async function findFault(targets: Targets, url: string, showsCause = true): Promise<string | undefined> {
  const error = await targets.check(url, { showsCause }).catch((thrown: unknown) => thrown);
  if (error === undefined) return undefined;
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.code, "url_not_allowed");
  return error.message;
}

/** URLs of hosts, separated by white space. */
function hosts(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((host) => `https://${host}/`);
}

const ACCEPTED = [
  "https://hooks.example.net",
  "https://hooks.example.net/path?query=1",
  "HTTPS://hooks.example.net/",
  "https://hooks.example.net/#part",
  "https://hooks.example.net/@127.0.0.1",
  "https://hooks.example.net/?to=http://127.0.0.1/",
  // half.example.net has one public address, which is used. Another port of the service is allowed.
  ...hosts(`
    HOOKS.example.NET hooks.example.net. hooks.example.net:443 hooks.example.net:8443
    hooks.example.net:0443 hooks.example.net: bücher.example xn--bcher-kva.example straße.example
    hooks。example。net a_b.example.net half.example.net 93.184.215.14 1.1.1.1:8443 9.255.255.255 11.0.0.0
    100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    [2606:2800:21f:cb07:6820:80da:af6b:8b2c] [2001:200::1] [::ffff:93.184.215.14]
    animals.example.org:8443 localhost.example.net
  `),
];

/** Each group with the words that its message has in common. */
const REJECTED: Record<string, string[]> = {
  "must be an https address": [
    "",
    "hooks.example.net",
    "//hooks.example.net/",
    "https:hooks.example.net",
    "https:/hooks.example.net",
    "https:\\\\hooks.example.net",
    "https://hooks.example.net\\@127.0.0.1/",
    " https://hooks.example.net/",
    "https://hooks.example.net/ x",
    "https://hooks.example.net/\n",
    "https://127.0.\t0.1/",
    "https://",
    "https:///hooks.example.net/",
    "https:////127.0.0.1/",
    `https://${"a".repeat(64)}.example.net/`,
    `https://${"a.".repeat(126)}net/`,
    "https://exa mple.net/",
    "ftp://hooks.example.net/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "unix:/run/docker.sock",
    ...hosts(`
      .hooks.example.net hooks..example.net hooks.example.net.. animals.example.org.. localhost..
      metadata.google.internal.. hooks.example.net:65536 hooks.example.net:https 256.0.0.1 4294967296
      127.0.0.08 foo.127.0.0.1 1.2.3.4.5 [::1 [fe80::1%25eth0] [fe80::1%eth0]
    `),
  ],
  "must begin with https://": ["http://hooks.example.net/", "http://127.0.0.1/"],
  "user name or password": hosts(`
    user@hooks.example.net user:password@hooks.example.net :password@hooks.example.net
    @hooks.example.net :@hooks.example.net hooks.example.net:443@127.0.0.1 hooks.example.net@127.0.0.1
    127.0.0.1%2f@hooks.example.net
  `),
  "port 0": hosts("hooks.example.net:0 hooks.example.net:00"),
  "this service itself": hosts(`
    animals.example.org animals.example.org. ANIMALS.example.org:443/v1/pets animals.example.org:0443
    animals。example。org [::ffff:127.0.0.1]:8080 127.0.0.1:8080 [::1]:8080 0.0.0.0:8080
  `),
  "a host of a private network": hosts(`
    localhost LOCALHOST:9000 localhost. %6cocalhost ｌｏｃａｌｈｏｓｔ lo\u00adcalhost local\u200bhost localhost。
    metadata。google。internal instance-data api.localhost localhost.localdomain ip6-localhost
    printer.local metadata.google.internal/computeMetadata/v1 router.home.arpa receiver
  `),
  "a loopback address": hosts(`
    127.0.0.1 127.0.0.1. 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1
    017700000001 0x7f.1. %31%32%37.0.0.1 １２７.0.0.1 ①②⑦.0.0.1 127。0。0。1 127%2e0.0.1 127.0.0.1\u200b
    127.0.0.0x1 00000177.0.0.1 127.0.0.1:443 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]
    [0:0:0:0:0:FFFF:127.0.0.1]
  `),
  "an unspecified address": hosts("0.0.0.0 0 0.1.2.3 [::] [::ffff:0:0]"),
  "a cloud metadata address": hosts(`
    169.254.169.254/latest/meta-data 0xa9fea9fe 2852039166 [::ffff:169.254.169.254] 169.254.170.2
    100.100.100.200 168.63.129.16 192.0.0.192 [fd00:ec2::254] [fd20:ce::254]
  `),
  "a link-local address": hosts("169.254.0.1 0xa9fe0001 [fe80::1] [febf::1]"),
  "a private address": hosts(`
    10.0.0.1 10.255.255.255 012.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 3232235777 [::ffff:10.0.0.1]
    [fc00::1] [fdff::1]
  `),
  "a site-local address": hosts("[fec0::1]"),
  "a shared address": hosts("100.64.0.1 100.127.255.255"),
  "a benchmarking address": hosts("198.18.0.1 198.19.255.255 [2001:2::1]"),
  "a documentation address": hosts("192.0.2.1 198.51.100.1 203.0.113.1 [2001:db8::1] [3fff::1]"),
  "a NAT64 address": hosts(`
    [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a00:1]
  `),
  "a 6to4 address": hosts("[2002:7f00:1::] [2002:a9fe:a9fe::] 192.88.99.1"),
  "a Teredo address": hosts("[2001:0:7f00:1::]"),
  "a multicast address": hosts("224.0.0.1 239.255.255.255 [ff02::1]"),
  "a broadcast address": hosts("255.255.255.255"),
  "a reserved address": hosts(`
    240.0.0.1 192.0.0.1 [::127.0.0.1] [::ffff:0:127.0.0.1] [::2] [100::1] [2001:10::1] [5f00::1]
    [4000::1] [fe00::1]
  `),
  "The host name has no address.": hosts("unknown.example.net"),
  "a private network or to this service": hosts(`
    inner.example.net all-inner.example.net mapped.example.net mapped-hex.example.net nat64.example.net
    6to4.example.net meta.example.net
  `),
};

for (const url of ACCEPTED)
  test(`accepts ${url}`, async () => assert.equal(await findFault(PUBLIC, url), undefined));

for (const [words, urls] of Object.entries(REJECTED))
  for (const url of urls)
    test(`rejects ${JSON.stringify(url)}: ${words}`, async () => {
      const fault = (await findFault(PUBLIC, url)) ?? "accepted";
      assert.ok(fault.includes(words), fault);
    });

test("the message about a forbidden address says how to permit it, and that works", async () => {
  const fault = await findFault(PUBLIC, "https://10.0.0.5/");
  assert.equal(
    fault,
    "url must not lead to 10.0.0.5, a private address. An operator can permit it: add 10.0.0.5 to WEBHOOK_ALLOW.",
  );
  const permitted = targetsWith({ allow: ["10.0.0.5"] });
  assert.equal(await findFault(permitted, "https://10.0.0.5/"), undefined);
  assert.notEqual(await findFault(permitted, "https://10.0.0.6/"), undefined);
});

test("the message about a name does not show its private addresses", async () => {
  const fault = (await findFault(PUBLIC, "https://inner.example.net/")) as string;
  assert.match(fault, /add inner\.example\.net to WEBHOOK_ALLOW/);
  assert.doesNotMatch(fault, /10\.0\.0\.5/);
});

test("WEBHOOK_ALLOW permits ranges and names, and nothing else", async () => {
  const targets = targetsWith({ allow: ["10.0.0.0/8", "fd00::/8", "receiver"] });
  const accepted = ["10.1.2.3", "[fd12::1]", "[::ffff:10.0.0.1]", "inner.example.net", "receiver"];
  for (const host of accepted) assert.equal(await findFault(targets, `https://${host}/`), undefined, host);
  assert.equal(
    await findFault(targetsWith({ allow: ["later.example.net"] }), "https://later.example.net/"),
    undefined,
  );
  const rejected = [
    "192.168.0.1",
    "[fe80::1]",
    "meta.example.net",
    "other",
    "172.18.0.3",
    "sub.receiver.local",
  ];
  for (const host of rejected) assert.notEqual(await findFault(targets, `https://${host}/`), undefined, host);
  // With the zone that the system adds to such an address.
  const zone = await targetsWith({ allow: ["fe80::/10"] }).find("https://all-inner.example.net/");
  assert.deepEqual(zone.addresses, [{ address: "fe80::1%eth0", family: 6 }]);
  assert.match((await findFault(targets, "http://10.1.2.3/")) ?? "", /WEBHOOK_ALLOW_HTTP=1/);
});

test("WEBHOOK_ALLOW_HTTP permits http, to public addresses only", async () => {
  const targets = targetsWith({ allowHttp: true });
  assert.equal(await findFault(targets, "http://hooks.example.net/"), undefined);
  assert.match((await findFault(targets, "http://127.0.0.1/")) ?? "", /a loopback address/);
  assert.match((await findFault(targets, "ftp://hooks.example.net/")) ?? "", /must be an https address/);
});

test("no exception permits the service itself", async () => {
  const own = [...OWN, { host: "hooks.example.net", port: 443 }, { host: "10.0.0.5", port: 443 }];
  const allow = ["animals.example.org", "127.0.0.0/8", "::1", "10.0.0.0/8", "inner.example.net"];
  const targets = targetsWith({ own, allow });
  const urls = ["animals.example.org", "127.0.0.1:8080", "[::1]:8080", "10.0.0.5", "inner.example.net"];
  for (const host of urls)
    assert.match((await findFault(targets, `https://${host}/`)) ?? "accepted", /this service/, host);
  assert.equal(await findFault(targets, "https://127.0.0.1:9000/"), undefined);
});

test("a service that listens on all addresses is not reached through an address of the machine", async () => {
  const locals = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family }) => family === "IPv4"),
  );
  assert.ok(locals.length > 0);
  const allow = locals.map(({ address }) => address);
  const targets = targetsWith({ allow });
  for (const { address } of locals) {
    assert.match((await findFault(targets, `https://${address}:8080/`)) ?? "accepted", /itself/);
    assert.equal(await findFault(targets, `https://${address}:8081/`), undefined);
  }
});

test("names of the system's list of hosts are found", async () => {
  const rules = createAddressRules({ allowHttp: false, allow: ["localhost"], findOwn: () => [] });
  const { addresses } = await createTargets({ rules, proxies: NO_PROXIES }).find("https://localhost/");
  assert.ok(addresses.length > 0);
  for (const { address } of addresses) assert.ok(["127.0.0.1", "::1"].includes(address), address);
});

/** Public ones, because the addresses of the test machine may be in a forbidden range. */
function mockInterfaces(t: TestContext, ...addresses: string[]) {
  const mocked = t.mock.method(os, "networkInterfaces", () => ({
    eth0: addresses.map((address) => ({ address })),
  }));
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}

test("the addresses of the host's interfaces are forbidden on every port, unless an operator permits them", async (t) => {
  const [ipv4, ipv6] = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
  const urls = [
    `https://${ipv4}/`,
    `https://${ipv4}:8443/`,
    `https://[${ipv6}]/`,
    `https://[::ffff:${ipv4}]/`,
  ];
  for (const url of urls) assert.equal(await findFault(PUBLIC, url), undefined, "of another host");
  assert.equal((await PUBLIC.find("https://hooks.example.net/")).addresses.length, 2);
  mockInterfaces(t, ipv4, ipv6);
  for (const url of urls)
    assert.match((await findFault(PUBLIC, url)) ?? "accepted", /this host's own address/);
  assert.match((await findFault(PUBLIC, "https://hooks.example.net/")) ?? "accepted", /private network/);
  await assert.rejects(PUBLIC.find("https://hooks.example.net/"), { code: "url_not_allowed" });
  for (const allow of [[ipv4, ipv6], ["93.184.0.0/16", "2606::/16"], ["hooks.example.net"]])
    assert.equal((await targetsWith({ allow }).find("https://hooks.example.net/")).addresses.length, 2);
  assert.equal(await findFault(targetsWith({ allow: [ipv4] }), `https://${ipv4}:8443/`), undefined);
});

test("the address of PUBLIC_URL is forbidden on every port, also if no interface has it", async () => {
  const targets = targetsWith({ own: [{ host: "93.184.215.14", port: 443 }] });
  assert.match((await findFault(targets, "https://93.184.215.14/")) ?? "accepted", /this service itself/);
  assert.match(
    (await findFault(targets, "https://93.184.215.14:8443/")) ?? "accepted",
    /this host's own address/,
  );
});

test("a name that does not resolve and one with a forbidden address differ for admin only", async () => {
  const [unknown, inner] = ["https://unknown.example.net/", "https://inner.example.net/"];
  const message =
    "No public address was found for the host. Check its name. An operator can permit others with WEBHOOK_ALLOW.";
  for (const url of [unknown, inner]) assert.equal(await findFault(PUBLIC, url, false), message);
  assert.equal(await findFault(PUBLIC, unknown), "The host name has no address.");
  assert.match((await findFault(PUBLIC, inner)) ?? "", /private network/);
  assert.match(
    (await findFault(PUBLIC, "https://10.0.0.5/", false)) ?? "",
    /a private address/,
    "not a name",
  );
});

test("a refused name takes its time, so that a fast answer does not show that it exists", async () => {
  const refusalMs = 200;
  const targets = targetsWith({ refusalMs });
  for (const name of ["unknown", "inner"]) {
    const startedMs = performance.now();
    await findFault(targets, `https://${name}.example.net/`, false);
    // Timers may be early by a millisecond.
    assert.ok(performance.now() - startedMs >= refusalMs - 2);
  }
});

test("an address is checked again at every attempt", async (t) => {
  t.after(() => delete NAMES["moving.example.net"]);
  NAMES["moving.example.net"] = ["93.184.215.14"];
  assert.equal(await findFault(PUBLIC, "https://moving.example.net/"), undefined);
  NAMES["moving.example.net"] = ["127.0.0.1"];
  await assert.rejects(PUBLIC.find("https://moving.example.net/"), { code: "url_not_allowed" });
});

test("with a proxy, names are not resolved here, but forbidden addresses and names are still rejected", async () => {
  const targets = targetsWith({ httpsProxy: "http://proxy.example.org:3128" });
  const { proxy, addresses } = await targets.find("https://inner.example.net/");
  assert.deepEqual([proxy?.host, addresses], ["proxy.example.org:3128", []]);
  for (const host of ["127.0.0.1", "[::1]", "localhost", "metadata.google.internal", "animals.example.org"])
    assert.notEqual(await findFault(targets, `https://${host}/`), undefined, host);
});
