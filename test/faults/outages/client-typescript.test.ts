// The client package compiles in strict programs. TYPESCRIPT_VERSIONS adds compilers, which npm installs from the registry.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../harness/runner/folder.ts";
import { compile, run, TSC, unpackClient } from "../../unit/client/packed.ts";

const VERSIONS = (process.env.TYPESCRIPT_VERSIONS ?? "").split(" ").filter((each) => each !== "");
const RESOLUTIONS: Record<string, string[]> = {
  node16: ["--module", "node16", "--moduleResolution", "node16"],
  nodenext: ["--module", "nodenext", "--moduleResolution", "nodenext"],
  bundler: ["--module", "esnext", "--moduleResolution", "bundler"],
  "bundler and the oldest target": [
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--target",
    "es2020",
    "--lib",
    "es2020,dom",
  ],
};
const PROGRAM = `import {
  AccessError, type Client, type ClientOptions, createClient, type Int64, OPERATIONS, type Order, type Page, type Pet,
  stringifyJson, TRANSITIONS, VALUES,
} from "@animal-store/client";

export async function listAll(options: ClientOptions): Promise<string[]> {
  const client: Client = createClient(options);
  const names: string[] = [];
  for await (const pet of client.listPets({ status: VALUES.PetStatus[0], limit: undefined })) names.push(pet.name);
  const page: Page<Order> = await client.listOrders({ petId: 9007199254740993n }).page();
  const ids: Int64[] = page.items.map(({ id }) => id);
  const pet: Pet = await client.createPet({ name: "Rex", categoryId: 3 }, { idempotencyKey: "a" });
  // @ts-expect-error the types of the package are found
  await client.createPet({ name: 1 });
  return [...names, stringifyJson(ids), pet.name, OPERATIONS.listPets.path, ...TRANSITIONS.PetStatus.sold];
}

export const access = (error: unknown) => (error instanceof AccessError ? error.neededAccess : undefined);
`;

const compilers = ["of the project", ...VERSIONS];
for (const version of compilers) {
  test(`the package compiles with TypeScript ${version}, with every module resolution`, async (t) => {
    const { folder } = await unpackClient(t);
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    let compiler = TSC;
    if (version !== "of the project") {
      const place = makeFolder(t);
      await run("npm", ["install", "--prefix", place, "--no-audit", "--no-fund", `typescript@${version}`]);
      compiler = join(place, "node_modules/typescript/bin/tsc");
    }
    for (const [resolution, flags] of Object.entries(RESOLUTIONS))
      await t.test(resolution, () => compile(folder, ["--noEmit", ...flags, "program.ts"], compiler));
  });
}
