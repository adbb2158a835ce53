// Every regular expression in code that reads external text, with prefixes that lead to its worst case.

import { linesPattern, namePattern, textPattern } from "../../../src/domain/basics/text.ts";
import { TYPE_LIST } from "../../../src/http/schemas/events.ts";
import { ID_LIST, STATUS_LIST } from "../../../src/http/schemas/listings.ts";
import { VIDEO_URL } from "../../../src/http/schemas/profiles.ts";

/** `leads` are prefixes that match the pattern up to a repeated part. Undefined: it reads only our own text, or a few characters. */
type Row = [pattern: RegExp, leads: string[] | undefined];

export const PATTERNS: Record<string, Row[]> = {
  // Messages of V8, which quote at most 40 characters of a body.
  "src/http/request/body-faults.ts": [
    [
      /^([A-Za-z',:}\] -]{1,80}) (?:in|after) JSON at position \d{1,9} \(line (\d{1,9}) column (\d{1,9})\)$/,
      ["", "a in JSON at position ", "a in JSON at position 1 (line 1 column "],
    ],
    [/^Unexpected token '(.{1,2})', /s, ["", "Unexpected token '"]],
  ],
  "src/http/request/body.ts": [
    [
      /^application\/json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*(?:;[ \t]*)?)?)?$/i,
      [
        "application/json",
        "application/json;",
        "application/json;charset",
        "application/json;charset=",
        "application/json;charset=utf-8",
        "application/json;charset=utf-8;",
      ],
    ],
    // Reads JSON that was parsed before, so every string is closed.
    [/"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g, undefined],
    [/[0-9.]{16}|[0-9][eE]/, [""]],
    [/^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/, ["", "-1", "1.", "1.1e", "1e+"]],
    [/^0+/, [""]],
  ],
  "src/http/headers/client-address.ts": [
    [/%.*$/, ["", "::1%"]],
    // After isIPv6, so at most 45 characters.
    [/\d+\.\d+\.\d+\.\d+$/, undefined],
  ],
  "src/http/observe/logged-path.ts": [
    [/ask_(?:live|test)_[0-9a-z%]*/gi, ["", "ask_live_"]],
    [/%[0-9a-f]{2}/gi, ["", "%2"]],
    [/[^!-~]/g, [""]],
  ],
  "src/http/headers/common-headers.ts": [[/^[A-Za-z0-9._-]{1,128}$/, [""]]],
  "src/http/pages/etag.ts": [[/(W\/)?("[^"]*")/g, ["", '"', 'W/"']]],
  "src/http/openapi/document.ts": [
    [/^\/v1/, undefined],
    [/:(\w+)/g, undefined],
  ],
  "src/http/openapi/responses.ts": [[/:(\w+)/g, undefined]],
  "src/http/fast-path/plain-request.ts": [
    [/^[1-9][0-9]{0,2}$/, ["", "1"]],
    [/^[A-Za-z0-9_-]+$/, [""]],
    [/^[A-Za-z0-9_.-]+$/, [""]],
    [/^[1-9][0-9]{0,17}$/, ["", "1"]],
  ],
  "src/http/request/qualities.ts": [[/^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/, ["q=0."]]],
  // Reads the names of our own files, and PUBLIC_URL.
  "src/http/static/console-build.ts": [
    [/^[\w-]+-[A-Z0-9]{8}\.(?:css|js)$/, undefined],
    [/\/?$/, undefined],
  ],
  "src/http/routes/sample-files.ts": [[/^[a-z-]{1,40}\.(json|webp)$/, ["", "a"]]],
  "src/http/request/request-form.ts": [
    [/^\/v1(?=[/?]|$)/, ["/v1"]],
    [/^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::[0-9]{0,5})?$/, ["", "a", "%41", "a:"]],
    [/^\[([0-9A-Fa-f:.]+)\](?::[0-9]{0,5})?$/, ["", "[", "[::1", "[::1]:"]],
    [/%(?![0-9A-Fa-f]{2})/g, ["", "%2"]],
    [/%[0-9A-Fa-f]{2}/g, ["", "%2"]],
    // Reads one character.
    [/[A-Za-z0-9._~-]/, undefined],
    [/^https?:\/\/[^/?#]+/i, ["http://", "http"]],
  ],
  "src/http/admission/caller.ts": [[/^bearer(?: [ \t]*(.*))?$/is, ["Bearer", "Bearer "]]],
  "src/http/admission/admission.ts": [
    [/\?.*$/s, ["", "/?"]],
    [/[.*+?^${}()|[\]\\]/g, undefined],
    [/:\w+/g, undefined],
  ],
  "src/http/routes/documents.ts": [[/\/$/, undefined]],
  "src/tools/address-ranges.ts": [
    [/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, ["::ffff:", "::ffff:1.", "::ffff:1.1.1."]],
  ],
  "src/tools/shown-text.ts": [[/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, [""]]],
  "src/reference/contents.ts": [[/\/v1$/, undefined]],
  "src/reference/guides.ts": [
    [/\{\{(\w+)\}\}/g, undefined],
    [/^```/m, undefined],
  ],
  "src/reference/html.ts": [
    [/(?<=\n)/, undefined],
    [/`([^`]+)`/g, undefined],
    [/\[(\w+)\]\((#[\w-]+)\)/g, undefined],
  ],
  "src/reference/markdown.ts": [
    [/\[(\w+)\]\(#[\w-]+\)/g, undefined],
    [/`[^`]*`|</g, undefined],
  ],
  "src/reference/samples/javascript.ts": [
    [/^[a-z]+$/i, undefined],
    [/\/v1$/, undefined],
  ],
  "src/reference/samples/python.ts": [[/[A-Z]/g, undefined]],
  "src/transfer/formats/csv-text.ts": [
    [/[",;\t|\r\n]/, [""]],
    [/^'*[=+\-@\t\r\n＝＋－＠]/, ["", "'"]],
  ],
  "src/transfer/formats/file-row.ts": [
    [/^https?:/i, ["", "http"]],
    [/[\\/]/, [""]],
  ],
  "src/transfer/formats/profile-cells.ts": [[/^\d{1,15}$/, ["", "1"]]],
  "src/tools/shell-words.ts": [[/^[\w@+:.,/-]+$/, [""]]],
  // Reads file names of at most 255 bytes.
  "src/files/atomic-file.ts": [[/^(.*)\.(\d+)\.(?:partial|replaced)(?:-\w+)?$/, undefined]],
  "src/domain/events/event.ts": [[/^([0-9a-f]{16})-(0|[1-9]\d{0,18})$/, ["", `${"0".repeat(16)}-`]]],
  "src/http/schemas/events.ts": [[/[.*]/g, undefined]],
  "src/domain/animals/photo.ts": [[/^([0-9a-f]{64})-(\d{1,4})\.webp$/, ["", `${"0".repeat(64)}-`]]],
  "src/domain/basics/page.ts": [[/^[A-Za-z0-9_-]{16}$/, [""]]],
  "src/domain/basics/idempotency.ts": [
    [/^"(.*)"$/s, ['"']],
    [/^[\x21-\x7e]+$/, [""]],
  ],
  "src/domain/basics/int64.ts": [[/^-?(?:0|[1-9][0-9]{0,18})$/, ["", "-1"]]],
  "src/domain/keys/key-secret.ts": [[/^ask_(?:live|test)_[0-9A-Za-z]{36}$/, ["ask_live_"]]],
  "src/domain/animals/search-text.ts": [
    [/^[\0-\x7f]*$/, [""]],
    [/\p{M}+/gu, ["", "\u0301"]],
    [/\s+/u, ["", " "]],
  ],
  "src/domain/basics/time.ts": [
    [
      /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
      ["2030-01-01T00:00:00", "2030-01-01T00:00:00.1", "2030-01-01T00:00:00Z"],
    ],
    [/^(\d{4})-(\d\d)-(\d\d)$/, ["2030-01-01"]],
  ],
  // Reads our own sentences.
  "src/domain/webhooks/delivery-failures.ts": [[/[{}]/, undefined]],
  "src/webhooks/addresses.ts": [
    [/^https?:\/\/[^/]/i, ["http", "http://"]],
    [/^https?:\/\/[^/?#]*@/i, ["http://", "http"]],
    [/[\s\\\p{Cc}]/u, [""]],
  ],
  "src/webhooks/master-key.ts": [[/^([A-Za-z0-9+/]{43}=)\n$/, ["", "A"]]],
  "src/webhooks/name-files.ts": [[/[ \t\r]/, [""]]],
  "src/webhooks/retry-after.ts": [[/^[0-9]{1,9}$/, ["", "1"]]],
  // Reads names of keys of at most 100 characters.
  "console/src/shared/parts/confirm.tsx": [[/\s+/g, undefined]],
  // Reads JSON that was parsed before, so every string is closed.
  "console/src/reference/format-json.ts": [[/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g, undefined]],
  "console/src/reference/key.ts": [
    [/^[\w.~+/:=%[\]-]+$/, [""]],
    [/\/$/, undefined],
  ],
  "console/src/reference/search-entries.ts": [[/\s+/, undefined]],
  "console/src/import/csv.ts": [
    [/[\r\n]/, [""]],
    [/[\x81\x8d\x8f\x90\x9d]/g, [""]],
    [/\r\n|\r|\n/, [""]],
  ],
  "console/src/shared/state/identifier.ts": [[/^-?\d{1,19}$/, ["", "-", "1"]]],
  "console/src/shared/state/animals-query.ts": [
    [/^(?:#|No\.? ?|Nr\.? ?)?(\d{1,19})$/i, ["", "No. ", "Nr", "1"]],
    // Reads a search of at most 200 characters.
    [/\s+/, undefined],
  ],
  "console/src/animals/page/kennel-card.tsx": [[/\n{3,}/g, ["", "\n\n"]]],
  "client/src/answer.ts": [
    [/scope="(\w+)"/, ["", 'scope="']],
    [/^\s*[0-9]+\s*$/, ["", "1", " 1 "]],
  ],
  "client/src/events/parser.ts": [
    [/^[0-9]{1,9}$/, [""]],
    [/\r\n?|\n/g, [""]],
  ],
  "client/src/events/position.ts": [[/^[0-9]{1,19}$/, [""]]],
  "client/src/events/stream.ts": [[/^\s*text\/event-stream\s*(?:;|$)/i, ["", "text/event-stream"]]],
  "client/src/json.ts": [
    [/[0-9]{16}/, [""]],
    // Reads JSON that was parsed before, so every string is closed.
    [/"(?:[^"\\]|\\.)*"(\s*:)?|-?[0-9][0-9.eE+-]*/g, undefined],
    [/^-?[0-9]+$/, ["", "-1"]],
  ],
  "client/src/link.ts": [
    [
      /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)*)/g,
      ["", "<", "<a>", "<a>;", "<a>;b", "<a>;b=", '<a>;b="', '<a>;b="c"'],
    ],
    [/;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?/g, ["", ";", ";b", ";b=", ';b="']],
    [/\s+/, [""]],
  ],
  "client/src/options.ts": [
    [/^[\x21-\x7e]+$/, undefined],
    [/\/+$/, undefined],
  ],
  "client/src/rate.ts": [
    [/"([^"]*)"((?:\s*;\s*[a-z]+=[0-9]+)*)/g, ["", '"', '""', '"";a', '"";a=1']],
    // Reads matches of the pattern above, where a number follows every word.
    [/([a-z]+)=([0-9]+)/g, undefined],
  ],
  "client/src/request.ts": [
    [/\{(\w+)\}/g, undefined],
    [/^[\x21-\x7e]{1,255}$/, undefined],
  ],
  "client/src/webhooks/signature.ts": [[/^whsec_/, undefined]],
  "client/src/webhooks/verify.ts": [[/^[0-9]{1,12}$/, [""]]],
};

/** Patterns that are built at run time, by the file and the code that builds them. */
export const BUILT: Record<string, { code: string; patterns: RegExp[] }> = {
  "src/http/admission/admission.ts": {
    code: `new RegExp(\`^\${escaped.replaceAll(/:\\w+/g, "[^/]+")}$\`)`,
    patterns: [/^\/v1\/pets\/[^/]+\/history$/],
  },
  "src/http/request/validation.ts": {
    code: 'new RegExp(schema.pattern ?? "", "u")',
    patterns: [
      namePattern(255),
      textPattern(255),
      linesPattern(10_000),
      TYPE_LIST,
      STATUS_LIST,
      ID_LIST,
      VIDEO_URL,
    ].map((each) => new RegExp(each, "u")),
  },
  "src/domain/keys/api-key.ts": {
    code: 'new RegExp(namePattern(KEY_NAME_MAX), "u")',
    patterns: [new RegExp(namePattern(100), "u")],
  },
};
