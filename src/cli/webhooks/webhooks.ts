// `webhooks`: the commands on webhooks.

import { EVENT_WORDS } from "../../domain/webhooks/webhook.ts";
import { COMMAND } from "../../tools/program.ts";
import { defineSubcommands } from "../command.ts";
import { wrapWords } from "../output.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

const HELP = `Usage: ${COMMAND} webhooks SUBCOMMAND [OPTIONS]

  list                       list all webhooks
  create --url U             create a webhook and print its secret; it cannot be shown again
         [--types T] [--description D] [--after CURSOR] [--key ID]
  show ID                    show one webhook and its last deliveries
  test ID                    send a test event now, and print the result; exits with 1 unless it is 2xx
  rotate ID                  create a new secret; both sign for 24 hours
  replay ID --delivery ID    send one delivery again
  replay ID --after CURSOR   send all events after a cursor again
  enable ID [--from-now]     continue where it was disabled, or with the events from now on
  disable ID                 send nothing more until it is enabled
  delete ID                  delete it with its deliveries

  --types       separated by commas (default: all):
                ${wrapWords(EVENT_WORDS, 16)}
  --after       a cursor of GET /v1/events (default: now)
  --key         the key whose events it gets, and which may manage it (default 0: the operator)
  --json        print JSON, on every subcommand

The commands work while the service runs, which sends the events. Use the WEBHOOK_ settings of the service: the secret
depends on them.`;

export const command = defineSubcommands(HELP, SUBCOMMANDS);
