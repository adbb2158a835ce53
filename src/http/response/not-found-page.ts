// A page for browsers at an address that does not exist. API clients get an Error body there.

import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { readQualities } from "../request/qualities.ts";
import { isApiPath } from "../request/request-form.ts";
import type { HttpServices } from "../services.ts";
import { answerError } from "./answer-error.ts";
import { FIXED_HEADERS } from "./common-headers.ts";
import { basePathOf, type FindConsoleBuild } from "./console-build.ts";
import { createDocument, sendDocument, TEXT_TYPES } from "./static-document.ts";

/** Allows a style of this host and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const VARY = `${FIXED_HEADERS.vary}, Accept`;

/** Nothing of the request is in it. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found – Animal Store</title>
<link rel="icon" href="data:,">
{head}
</head>
<body>
<main class="sign-in">
<h1>Page not found</h1>
<p>There is nothing at this address. It may be mistyped, or it may come from an old link.</p>
<p><a href="{base}">Open the console</a></p>
<p><a href="{base}docs">Read the API reference</a></p>
</main>
</body>
</html>
`;

type Services = Pick<HttpServices, "publicUrl"> & { findBuild: FindConsoleBuild };

/** Fastify's error handler. */
export function createErrorHandler({ publicUrl, findBuild }: Services) {
  async function answerBrowser(reply: FastifyReply): Promise<FastifyReply> {
    const { plainHead = "" } = (await findBuild()) ?? {};
    // The unknown address may be in any folder, so addresses must not be relative.
    const html = PAGE.replace("{head}", plainHead).replaceAll("{base}", () => basePathOf(publicUrl()));
    reply.code(404).header("content-security-policy", POLICY);
    return sendDocument(reply, createDocument(TEXT_TYPES.html, html));
  }

  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const isMissing = error instanceof ServiceError && error.body.status === 404;
    if (!isMissing || isApiPath(request.url)) return answerError(error, request, reply);
    reply.header("vary", VARY);
    return prefersHtml(request.headers.accept) ? answerBrowser(reply) : answerError(error, request, reply);
  };
}

/** False where HTML and JSON are equally welcome: only browsers ask for HTML in the first place. */
function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  const qualityOf = (kind: string, type: string) =>
    qualities.get(`${kind}/${type}`) ?? qualities.get(`${kind}/*`) ?? qualities.get("*/*") ?? 0;
  return qualityOf("text", "html") > qualityOf("application", "json");
}
