// Compressed forms of a response, and which of them a client gets by its Accept-Encoding (RFC 9110, 12.5.3).

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { readQualities } from "../request/qualities.ts";

/** The preferred one first. */
const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];
export type Compressed = Record<Coding, Buffer>;

/** Compresses a reference page of 318 kB to 23.9 kB in 9 ms. The best quality, 11, takes 1.8 s for 20.7 kB. */
const BROTLI_QUALITY = 5;
/** Quality of the uncompressed form where a client does not mention it: acceptable, but after everything that it names. */
const UNNAMED = 0.0001;

/** In the thread pool, so that no other request waits. */
export async function compress(bytes: Buffer): Promise<Compressed> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes),
  ]);
  return { br, gzip: gzipped };
}

/** Undefined: uncompressed, also where the client accepts nothing that exists. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const qualities = readQualities(acceptEncoding);
  const others = qualities.get("*");
  // The RFC has x-gzip as another name of gzip.
  const qualityOf = (coding: Coding) => qualities.get(coding) ?? qualities.get(`x-${coding}`) ?? others ?? 0;
  const uncompressed = qualities.get("identity") ?? others ?? UNNAMED;
  const best = CODINGS.reduce((one, other) => (qualityOf(other) > qualityOf(one) ? other : one));
  if (qualityOf(best) > 0 && qualityOf(best) >= uncompressed) return best;
  // A client that only refuses the uncompressed form most probably means gzip.
  return uncompressed === 0 && others === undefined && !qualities.has("gzip") ? "gzip" : undefined;
}
