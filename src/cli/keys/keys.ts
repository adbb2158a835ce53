// `keys`: the commands on API keys.

import { TIME_RULE } from "../../domain/basics/time.ts";
import { ROTATION_GRACE_SECONDS } from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, PLAN_NAMES } from "../../domain/keys/plan.ts";
import { PERIODS } from "../../domain/usage/periods.ts";
import { COMMAND } from "../../tools/program.ts";
import { type Command, defineSubcommands } from "../command.ts";
import { namingOptions } from "./settings.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

const HELP = `Usage: ${COMMAND} keys SUBCOMMAND [OPTIONS]

  create --name N --plan P   create a key and print it; a secret key cannot be shown again
         [--access A] [--per-minute N] [--per-day N] [--expires-at T] [--shelter ID] [--create-store]
  create --name N --plan P --publishable --origin URL [--origin URL …]
                             create a key for web pages of these origins, which everybody may see
         [--per-minute N] [--expires-at T] [--shelter ID]
  invite --name N --access A [--shelter ID]
                             invite a person, who signs in without a key: prints a link and a QR code of it
  list                       list all keys, including revoked and expired ones
  show ID                    show one key and its remaining requests
  usage ID [--days N]        show the responses of a key by day, operation and status (default ${PERIODS.day.usual} days, at most ${PERIODS.day.most})
  update ID                  change settings; takes effect with the next request
         [--name N] [--plan P] [--access A] [--per-minute N|none] [--per-day N|none] [--expires-at T|never]
         [--shelter ID|none] [--origin URL …]
  rotate ID [--grace S]      create a new secret; the old one works for S more seconds (default ${ROTATION_GRACE_SECONDS})
  revoke ID                  end a key permanently
  unban ID                   lift the ban of a key

  --plan        ${PLAN_NAMES.join(", ")}
  --access      ${ACCESS_LEVELS.join(", ")} (default manage); each level includes those before it
  --per-minute, --per-day    own limits, for the enterprise plan only
  --expires-at  ${TIME_RULE}
  --shelter     change only the animals of this shelter, and see only their orders; not for admin keys
  --origin      the scheme, host and port of a web page, such as https://www.example.org; only for publishable keys
  --create-store             create the SQLite store if it is missing, for a key before the first start of the service
  --json        print JSON, on every subcommand

The commands work while the service runs. Changes take effect with its next request.`;

const { run } = defineSubcommands(HELP, SUBCOMMANDS);

export const command: Command = { help: HELP, run: (args) => namingOptions(() => run(args)) };
