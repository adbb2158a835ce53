// `shelters`: the commands on shelters.

import { COMMAND } from "../../tools/program.ts";
import { defineSubcommands } from "../command.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

const HELP = `Usage: ${COMMAND} shelters SUBCOMMAND [OPTIONS]

  list                       list all shelters
  show ID                    show one shelter
  create --name N            create a shelter
         [--about A] [--email E] [--phone P] [--website U] [--adopt-url U] [--street S] [--postal-code C] [--city C]
         [--region R] [--country C] [--latitude N --longitude N] [--opening-hours H]
  update ID                  change some of these; all others stay
  delete ID                  delete a shelter without animals and keys; the first shelter always stays

  --website, --adopt-url     https addresses; people apply for an animal at --adopt-url
  --country                  two capital letters, such as DE
  --latitude, --longitude    where the shelter is, in degrees, such as 52.52 and 13.405
  --json                     print JSON, on every subcommand

"none" as a value removes it, as in --phone none. Every animal belongs to one shelter, at first to shelter 1. To move
animals, import a file with the columns externalId and shelterId. "keys create --shelter ID" creates a key that changes
only the animals of one shelter. The commands work while the service runs.`;

export const command = defineSubcommands(HELP, SUBCOMMANDS);
