// The samples of an operation in all languages.

import type { OpenApiDocument } from "../../http/openapi/document.ts";
import type { ListedOperation, Sample } from "../blocks.ts";
import { writeCurl } from "./curl.ts";
import { writeJavaScript } from "./javascript.ts";
import { writePython } from "./python.ts";
import { describeRequest, type SampleRequest, targetOf } from "./request.ts";

/** `base` is the address of /v1. */
export function writeSamples(
  listed: ListedOperation,
  { components }: OpenApiDocument,
  base: string,
): Sample[] {
  const request = describeRequest(listed, components);
  return [
    { title: "curl", language: "sh", code: writeCurlSample(request, base) },
    { title: "JavaScript", language: "js", code: writeJavaScript(request, base) },
    { title: "Python", language: "python", code: writePython(request, base) },
  ];
}

const BODY_LINE_MAX = 44;

function writeCurlSample(request: SampleRequest, base: string): string {
  const { method, headers, body, file, result } = request;
  const line = JSON.stringify(body);
  return writeCurl({
    method,
    url: base + targetOf(request),
    headers,
    body: line?.length > BODY_LINE_MAX ? JSON.stringify(body, null, 2) : line,
    file: file?.name,
    isStream: result.kind === "stream",
  });
}
