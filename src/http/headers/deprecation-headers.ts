// The headers that announce the removal of getPet.

import { GET_PET_SUNSET_MS } from "../../domain/basics/deprecation.ts";

const SUNSET = new Date(GET_PET_SUNSET_MS).toUTCString();

/** RFC 9745 date item, RFC 8594 HTTP date. */
export function deprecationHeaders(settings: { publicUrl: () => string; getPetDeprecatedMs: number }) {
  const url = settings.publicUrl();
  return {
    deprecation: `@${Math.floor(settings.getPetDeprecatedMs / 1000)}`,
    sunset: SUNSET,
    link: `<${url}/v1/pets?status=available>; rel="successor-version", <${url}/docs>; rel="deprecation"; type="text/html"`,
  };
}
