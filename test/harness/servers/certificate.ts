// A certificate for 127.0.0.1 that signs itself, so that it is its own certificate authority.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../runner/folder.ts";

export interface Certificate {
  key: string;
  certificate: string;
}

/** The paths of both files. */
export function createCertificate(t: TestContext): Certificate {
  const folder = makeFolder(t);
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const kind = ["req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=animals"];
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...kind, ...names], { stdio: "ignore" });
  return { key, certificate };
}
