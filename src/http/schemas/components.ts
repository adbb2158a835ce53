// The list of all named schemas, which the OpenAPI document publishes.

import { ERRORS } from "../../domain/errors.ts";
import { CATEGORY_COMPONENTS } from "./categories.ts";
import { KEY_COMPONENTS } from "./keys.ts";
import { text } from "./members.ts";
import { ORDER_COMPONENTS } from "./orders.ts";
import { PET_COMPONENTS } from "./pets.ts";
import { TRAFFIC_COMPONENTS } from "./traffic.ts";
import { Type } from "./type.ts";

const ErrorBody = Type.Object(
  {
    code: text(Object.keys(ERRORS), { description: "Machine-readable error code." }),
    message: Type.String({ description: "Human-readable description." }),
    status: Type.Integer({ description: "The HTTP status code." }),
  },
  { title: "Error", description: "The body of every response that is neither 2xx nor 304." },
);

export const COMPONENTS = [
  ...PET_COMPONENTS,
  ...ORDER_COMPONENTS,
  ...CATEGORY_COMPONENTS,
  ...KEY_COMPONENTS,
  ...TRAFFIC_COMPONENTS,
  ErrorBody,
];
