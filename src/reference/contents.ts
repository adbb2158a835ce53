// Collects the contents of the reference: introduction, guides, operations by resource, shapes, limits and errors.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import { HEADERS_OF_EVERY_RESPONSE } from "../http/openapi/headers.ts";
import { type Block, type Chapter, type Contents, type ListedOperation, text } from "./blocks.ts";
import { describeGuides } from "./guides.ts";
import { describeErrors, describeLimits } from "./limits-and-errors.ts";
import { describeOperation, describeShape } from "./operations.ts";
import { listCodes } from "./schema-type.ts";

export function describeContents(document: OpenApiDocument): Contents {
  const { info, servers, components } = document;
  const base = servers[0]?.url ?? "";
  const root = base.replace(/\/v1$/, "");
  return {
    title: info.title,
    version: info.version,
    root,
    introduction: describeIntroduction(document),
    chapters: [
      { id: "guides", title: "Guides", blocks: [], sections: describeGuides(root) },
      ...describeResources(document, base),
      {
        id: "shapes",
        title: "Shapes",
        blocks: [],
        sections: Object.entries(components.schemas).map(describeShape),
      },
      describeLimits(),
      describeErrors(),
    ],
  };
}

function describeIntroduction({ info, servers }: OpenApiDocument): Block[] {
  const addresses = servers.map(({ url, description }) => `\`${url}\` (${description})`);
  return [
    ...info.description.split("\n\n").map(text),
    text(
      `Base address: ${addresses.join(", ")}. Every response has ${listCodes(HEADERS_OF_EVERY_RESPONSE)}.`,
    ),
  ];
}

function describeResources(document: OpenApiDocument, base: string): Chapter[] {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): ListedOperation => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  return document.tags.map(({ name, description }) => ({
    id: `${name.toLowerCase()}-operations`,
    title: name,
    blocks: [text(description)],
    sections: listed
      .filter(({ operation }) => operation.tags.includes(name))
      .map((each) => describeOperation(each, document, base)),
  }));
}
