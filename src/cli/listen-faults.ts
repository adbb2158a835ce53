// Explains why the service cannot listen on HOST and PORT, for `serve` and `doctor`.

import { ExplainedError } from "../tools/operator-error.ts";

const LOOPBACK = /^(127\.|::1$)/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Undefined for other errors. */
export function explainListenError(error: unknown, port: number): ExplainedError | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = adviseListen(code, port);
  return advice === undefined ? undefined : new ExplainedError(message, advice);
}

function adviseListen(code: string | undefined, port: number): string | undefined {
  if (code === "EADDRINUSE")
    return `Stop the program that uses this port, or set PORT to another. To find it, run as root: ${findProgramCommand(port)}`;
  if (code === "EACCES") return "Ports below 1024 need privileges; set PORT to another.";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "Set HOST to an address of this machine, or to 0.0.0.0 for all.";
  return undefined;
}

function findProgramCommand(port: number): string {
  if (process.platform === "win32") return `netstat -ano | findstr :${port}`;
  if (process.platform === "darwin") return `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return `ss -ltnp "sport = :${port}"`;
}
