// Attempts through a proxy: which URLs use one, the tunnel, and proxies that refuse or hang.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { findProxy, openTunnel } from "../../../src/webhooks/proxy.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import { attempt, BODY, replyWith, SHORT_MS, startRaw, startTls } from "./scene.ts";

/** Connects every CONNECT to the given port, whatever host it names. */
async function startProxy(t: TestContext, targetPort: number) {
  const requests: string[] = [];
  const port = await startRaw(t, (socket) => {
    socket.once("data", (bytes) => {
      requests.push(String(bytes));
      const target = connect(targetPort, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(target).pipe(socket);
      });
      target.on("error", () => socket.destroy());
      t.after(() => target.destroy());
    });
  });
  return { port, requests };
}

test("an https URL goes through a tunnel, and the certificate of the receiver is verified", async (t) => {
  const receiver = await startTls(t);
  const { port, requests } = await startProxy(t, receiver.port);
  const proxies = { httpsProxy: `http://user:p%40ss@127.0.0.1:${port}` };
  // The name does not resolve here: the proxy resolves it.
  const result = await attempt("https://hooks.example.net/hooks", { proxies, ca: receiver.ca });
  assert.deepEqual([result.status, result.error], [204, undefined]);
  assert.deepEqual(receiver.names, ["hooks.example.net"]);
  const [head = ""] = requests;
  assert.match(head, /^CONNECT hooks\.example\.net:443 HTTP\/1\.1\r\n/);
  assert.match(head, /\r\nHost: hooks\.example\.net:443\r\n/i);
  const authorization = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  assert.equal(/\r\nproxy-authorization: (.*)\r\n/i.exec(head)?.[1], authorization);
  assert.match(receiver.received[0] ?? "", /^POST \/hooks HTTP\/1\.1\r\n/);
  assert.doesNotMatch(receiver.received[0] ?? "", /proxy-authorization/i);

  const untrusted = await attempt("https://hooks.example.net/", { proxies });
  assert.equal(untrusted.error, "The TLS connection failed (DEPTH_ZERO_SELF_SIGNED_CERT).");
  const other = await attempt("https://other.example.net/", { proxies, ca: receiver.ca });
  assert.equal(other.error, "The TLS connection failed (ERR_TLS_CERT_ALTNAME_INVALID).");
});

test("an http URL is requested from the proxy with its whole address", async (t) => {
  const proxy = await startScripted(t, { status: 200, body: "by proxy" });
  const result = await attempt("http://hooks.example.net:8000/a?b=1", { proxies: { httpProxy: proxy.url } });
  assert.deepEqual([result.status, result.body], [200, "by proxy"]);
  const [request] = proxy.requests;
  assert.equal(request?.url, "http://hooks.example.net:8000/a?b=1");
  assert.equal(request?.headers.host, "hooks.example.net:8000");
  assert.equal(request?.body, BODY);
});

/** Reactions of a proxy to the request for a tunnel. */
const BROKEN: Record<string, { act: (socket: Socket) => void; error: RegExp }> = {
  "wants a password": {
    act: replyWith("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno"),
    error: /^The proxy refused the connection with 407\.$/,
  },
  "cannot reach the host": {
    act: (socket) => socket.once("data", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")),
    error: /^The proxy refused the connection with 502\.$/,
  },
  hangs: { act: () => {}, error: /^No connection within 0\.15 s\.$/ },
  "hangs after it has opened the tunnel": {
    act: replyWith("HTTP/1.1 200 OK\r\n\r\n"),
    error: /^No connection within 0\.15 s\.$/,
  },
  "resets the tunnel": {
    act: (socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.once("data", () => socket.resetAndDestroy());
      }),
    error: /^The connection was closed before a response\.$/,
  },
  "closes the connection": {
    act: (socket) => socket.once("data", () => socket.destroy()),
    error: /^The connection was closed before a response\.$/,
  },
};
for (const [what, { act, error }] of Object.entries(BROKEN))
  test(`a proxy that ${what} fails the attempt, and no connection stays open`, async (t) => {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    const port = await startRaw(t, (socket) => {
      socket.on("close", () => onClosed());
      // A socket that reads nothing does not notice its end.
      socket.resume();
      act(socket);
    });
    const proxies = { httpsProxy: `http://127.0.0.1:${port}` };
    const connectMs = error.source.includes("No connection") ? { connectMs: SHORT_MS } : {};
    const result = await attempt("https://hooks.example.net/", { proxies, ...connectMs });
    assert.equal(result.status, undefined);
    assert.match(result.error ?? "", error);
    await closed;
  });

test("an error of a tunnel does not end the process", async (t) => {
  const { port } = await startProxy(t, (await startTls(t)).port);
  const { signal } = new AbortController();
  const url = new URL("https://hooks.example.net/");
  const tunnel = await openTunnel(new URL(`http://127.0.0.1:${port}`), url, signal);
  tunnel.destroy(new Error("lost"));
  await new Promise((resolve) => tunnel.once("close", resolve));
});

test("a stopping service ends an attempt that waits for a proxy", async (t) => {
  const stopping = new AbortController();
  const port = await startRaw(t, (socket) => socket.once("data", () => stopping.abort()));
  const proxies = { httpsProxy: `http://127.0.0.1:${port}` };
  const result = await attempt("https://hooks.example.net/", { proxies, signal: stopping.signal });
  assert.equal(result.error, "The service is stopping.");
});

test("NO_PROXY names the hosts that are reached directly", () => {
  const proxies = { httpsProxy: "http://one:1", httpProxy: "http://two:2" };
  const isProxied = (url: string, ...noProxy: string[]) =>
    findProxy(new URL(url), { ...proxies, noProxy }) !== undefined;
  const rows: Array<[url: string, entry: string, isDirect: boolean]> = [
    ["https://a.example.org/", "a.example.org", true],
    ["https://a.example.org/", "example.org", true],
    ["https://a.example.org/", ".example.org", true],
    ["https://a.example.org/", "*.Example.org", true],
    ["https://example.org/", ".example.org", true],
    ["https://badexample.org/", "example.org", false],
    ["https://example.org.net/", "example.org", false],
    ["https://a.example.org/", "a.example.org:443", true],
    ["https://a.example.org/", "a.example.org:8443", false],
    ["https://a.example.org/", "*", true],
    ["https://10.1.2.3/", "10.0.0.0/8", true],
    ["https://11.1.2.3/", "10.0.0.0/8", false],
    ["https://[fd00::1]/", "fd00::/8", true],
    ["https://[fd00::1]/", "10.0.0.0/8", false],
    ["https://a.example.org/", "10.0.0.0/8", false],
    ["https://10.1.2.3/", "example.org", false],
  ];
  for (const [url, entry, isDirect] of rows)
    assert.equal(isProxied(url, "other.example.net", entry), !isDirect, `${url} ${entry}`);
  assert.equal(findProxy(new URL("http://a.example.org/"), { ...proxies, noProxy: [] })?.host, "two:2");
  assert.equal(isProxied("https://a.example.org/"), true);
  const none = { httpsProxy: undefined, httpProxy: "http://two:2", noProxy: [] };
  assert.equal(findProxy(new URL("https://a.example.org/"), none), undefined);
});
