// Headers that announce the removal of getPet.

import { GET_PET_SUNSET_MS } from "../../domain/deprecation.ts";
import type { HttpServices } from "../services.ts";
import type { Headers } from "./common-headers.ts";

/** RFC 9745 date item, RFC 8594 HTTP date. */
export function deprecationHeaders({
  publicUrl,
  getPetDeprecatedMs,
}: Pick<HttpServices, "publicUrl" | "getPetDeprecatedMs">): Headers {
  const successor = `<${publicUrl()}/v1/pets?status=available>; rel="successor-version"`;
  const notice = `<${publicUrl()}/docs>; rel="deprecation"; type="text/html"`;
  return {
    deprecation: `@${Math.floor(getPetDeprecatedMs / 1000)}`,
    sunset: new Date(GET_PET_SUNSET_MS).toUTCString(),
    link: `${successor}, ${notice}`,
  };
}
