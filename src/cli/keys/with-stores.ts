// The stores of a `keys` subcommand, open while it works.

import { type CommandStores, openStores } from "../../command-stores.ts";
import { type Config, readConfig } from "../../config.ts";

export async function withStores(
  work: (stores: CommandStores, config: Config) => Promise<void>,
  { create = false } = {},
): Promise<void> {
  const config = readConfig();
  const stores = await openStores(config, { create });
  try {
    await work(stores, config);
  } finally {
    await stores.close();
  }
}
