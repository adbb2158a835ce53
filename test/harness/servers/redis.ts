// Redis servers for tests: without persistence, on a free port, stopped with the test.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { makeFolder } from "../runner/folder.ts";
import { findProgram } from "../runner/packages.ts";
import { findClusterPort, findFreePort } from "./ports.ts";

export interface RedisServer {
  url: string;
  port: number;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
  /** On the same port, empty. */
  start(): Promise<void>;
  /** One command; resolves to the raw reply. */
  command(...words: string[]): Promise<string>;
}

export async function startRedis(t: TestContext, ...flags: string[]): Promise<RedisServer> {
  const port = await (flags.includes("--cluster-enabled") ? findClusterPort() : findFreePort());
  const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", makeFolder(t)];
  return runServer(t, port, [...place, "--save", "", "--appendonly", "no", ...flags]);
}

/** A server of Redis, or a Sentinel. It listens on the port without TLS. */
export async function runServer(t: TestContext, port: number, flags: string[]): Promise<RedisServer> {
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    signal(signal) {
      child?.kill(signal);
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      await exited;
    },
    async start() {
      child = spawn(findProgram("redis"), flags, { stdio: "ignore" });
      while (!/^(?:\+PONG|-NOAUTH)/.test(await server.command("PING").catch(() => ""))) {
        if (child.exitCode !== null) throw new Error(`Redis on port ${port} ended with ${child.exitCode}`);
        await pause(10);
      }
    },
    command: (...words) => sendCommand(port, words),
  };
  await server.start();
  t.after(() => server.stop());
  return server;
}

function sendCommand(port: number, words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.on("error", reject);
    socket.once("data", (reply: Buffer) => {
      socket.destroy();
      resolve(reply.toString("utf8"));
    });
    socket.write(`*${words.length}\r\n${parts.join("")}`);
  });
}
