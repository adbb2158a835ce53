// Every shape on the wire that has a name, once: validated with, serialised with and published from here.

import { ERRORS, type ErrorCode } from "../../domain/errors.ts";
import { CATEGORY_COMPONENTS } from "./categories.ts";
import { KEY_COMPONENTS } from "./keys.ts";
import { text } from "./members.ts";
import { ORDER_COMPONENTS } from "./orders.ts";
import { PET_COMPONENTS } from "./pets.ts";
import { TRAFFIC_COMPONENTS } from "./traffic.ts";
import { Type } from "./type.ts";

const ErrorBody = Type.Object(
  {
    code: Type.Unsafe<ErrorCode>(text(Object.keys(ERRORS), { description: "Machine-readable error code." })),
    message: Type.String({ description: "Human-readable description." }),
    status: Type.Integer({ description: "The HTTP status code." }),
  },
  { title: "Error", description: "The body of every answer that is neither 2xx nor 304." },
);

/** The shapes that the OpenAPI document names. */
export const COMPONENTS = [
  ...PET_COMPONENTS,
  ...ORDER_COMPONENTS,
  ...CATEGORY_COMPONENTS,
  ...KEY_COMPONENTS,
  ...TRAFFIC_COMPONENTS,
  ErrorBody,
];
