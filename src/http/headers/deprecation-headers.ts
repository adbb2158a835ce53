// The headers that announce the removal of getPet.

import { GET_PET_SUNSET_MS } from "../../domain/basics/deprecation.ts";

/** Prepared once, because they are the same for every response. */
export function createDeprecationHeaders(services: {
  publicUrl: () => string;
  getPetDeprecatedMs: number;
}): () => ReturnType<typeof describeRemoval> {
  let describedUrl: string | undefined;
  let headers = describeRemoval("", 0);

  return () => {
    // The address is known when the service listens.
    const url = services.publicUrl();
    if (url !== describedUrl) headers = describeRemoval(url, services.getPetDeprecatedMs);
    describedUrl = url;
    return headers;
  };
}

/** RFC 9745 date item, RFC 8594 HTTP date. */
function describeRemoval(url: string, deprecatedMs: number) {
  const successor = `<${url}/v1/pets?status=available>; rel="successor-version"`;
  const notice = `<${url}/docs>; rel="deprecation"; type="text/html"`;
  return {
    deprecation: `@${Math.floor(deprecatedMs / 1000)}`,
    sunset: new Date(GET_PET_SUNSET_MS).toUTCString(),
    link: `${successor}, ${notice}`,
  };
}
