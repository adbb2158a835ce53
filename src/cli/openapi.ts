// `openapi`: prints the OpenAPI document of this release.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config/config.ts";
import { createLog } from "../log/log.ts";
import { createService } from "../service/service.ts";
import { formatUrl } from "../tools/local-url.ts";
import { COMMAND } from "../tools/program.ts";
import { choice, defineCommand } from "./command.ts";
import { print } from "./output.ts";

export const command = defineCommand({
  help: `Usage: ${COMMAND} openapi [--format json|yaml]

Prints the document that the service has at /openapi.json and /openapi.yaml, with the addresses of PUBLIC_URL,
STAGING_URL and CONTACT_URL.`,
  options: { format: choice(["json", "yaml"]) },
  async run({ format = "json" }) {
    const document = await readDocument(format);
    print(format === "json" ? JSON.stringify(JSON.parse(document), null, 2) : document.trimEnd());
  },
});

/** The document does not depend on the data, so a temporary empty store is enough. */
async function readDocument(format: string): Promise<string> {
  const config = readConfig();
  const publicUrl = config.publicUrl ?? formatUrl(config.host, config.port);
  const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
  try {
    const database = { engine: "sqlite", path: join(folder, "empty.db") } as const;
    const service = await createService(
      { ...config, publicUrl, database, redisUrl: undefined },
      createLog("silent"),
    );
    const answer = await service.app.inject(`/openapi.${format}`);
    await service.stop();
    return answer.body;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
