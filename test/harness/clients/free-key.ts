// An API key of plan free that no store has.

import type { ApiKey } from "../../../src/domain/keys/api-key.ts";

export const FREE_KEY: ApiKey = {
  id: 1n,
  name: "",
  plan: "free",
  access: "manage",
  kind: "secret",
  hint: "",
  createdAtMs: 0,
};
