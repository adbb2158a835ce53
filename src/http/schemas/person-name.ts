// Schema of the person whom a key belongs to.

import { identifier } from "./members.ts";
import { Type } from "./type.ts";

export const PersonName = Type.Part(
  "PersonName",
  "The person of a key of kind `person`, with their current name.",
  {
    id: identifier("The person."),
    name: Type.String({ description: "Name of the person." }),
  },
);
