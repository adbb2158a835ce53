// The page for browsers at an address that does not exist.

import type { FastifyReply, FastifyRequest } from "fastify";
import { CONTENT_SECURITY_POLICIES } from "../headers/content-security-policies.ts";
import { readQualities } from "../request/qualities.ts";
import type { HttpServices } from "../services.ts";
import { BARE_HEAD, basePathOf, type FindConsoleBuild } from "./console-build.ts";
import { createDocument, sendDocument, TEXT_TYPES } from "./static-document.ts";

const TEXTS = {
  en: {
    title: "Page not found",
    explanation: "There is nothing at this address. It may be mistyped, or it may come from an old link.",
    console: "Open the console",
    reference: "Read the API reference",
  },
  de: {
    title: "Seite nicht gefunden",
    explanation:
      "Unter dieser Adresse ist nichts. Vielleicht ist sie vertippt oder kommt aus einem alten Link.",
    console: "Konsole öffnen",
    reference: "API-Referenz lesen (englisch)",
  },
};
type Language = keyof typeof TEXTS;

/** Nothing of the request is in it but the language. */
function renderPage(language: Language): string {
  const texts = TEXTS[language];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.title} – Animal Store</title>
{head}
</head>
<body>
<main class="sign-in">
<h1>${texts.title}</h1>
<p>${texts.explanation}</p>
<p><a href="{base}">${texts.console}</a></p>
<p><a href="{base}docs">${texts.reference}</a></p>
</main>
</body>
</html>
`;
}

type Services = Pick<HttpServices, "publicUrl"> & { findBuild: FindConsoleBuild };

export function createNotFoundPage({ publicUrl, findBuild }: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { plainHead = BARE_HEAD } = (await findBuild()) ?? {};
    const language = chooseLanguage(request.headers["accept-language"]);
    // The unknown address may be in any folder, so addresses must not be relative.
    const html = renderPage(language)
      .replace("{head}", plainHead)
      .replaceAll("{base}", () => basePathOf(publicUrl()));
    reply
      .code(404)
      .header("content-security-policy", CONTENT_SECURITY_POLICIES.notFound)
      .header("content-language", language);
    return sendDocument(reply, createDocument(TEXT_TYPES.html, html));
  };
}

/** `de-AT` counts as `de`. English unless the client prefers German. */
function chooseLanguage(acceptLanguage = ""): Language {
  const qualities: Record<Language, number> = { en: 0, de: 0 };
  for (const [range, quality] of readQualities(acceptLanguage)) {
    const [name = ""] = range.split("-");
    if (name === "en" || name === "de") qualities[name] = Math.max(qualities[name], quality);
  }
  return qualities.de > qualities.en ? "de" : "en";
}
