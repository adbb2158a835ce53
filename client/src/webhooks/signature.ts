// Signatures of Standard Webhooks, with WebCrypto only: HMAC-SHA256, written as `v1,` and base64.

const HMAC = { name: "HMAC", hash: "SHA-256" };
const SIGNATURE_BYTES = 32;

/** Throws a TypeError that does not show the secret. */
export function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = typeof secret === "string" ? decodeBase64(secret.replace(/^whsec_/, "")) : undefined;
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError("secret must be whsec_ and base64, as shown when the webhook was created");
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}

/** Signatures of other versions are ignored. */
export function readSignatures(header: string): Uint8Array[] {
  return header.split(" ").flatMap((each) => {
    const bytes = each.startsWith("v1,") ? decodeBase64(each.slice(3)) : undefined;
    return bytes?.length === SIGNATURE_BYTES ? [bytes] : [];
  });
}

/** Signs once, however many signatures are given. */
export async function hasSignature(
  key: CryptoKey,
  signed: ArrayBuffer,
  given: Uint8Array[],
): Promise<boolean> {
  const wanted = new Uint8Array(await crypto.subtle.sign(HMAC.name, key, signed));
  return given.map((each) => isEqual(wanted, each)).includes(true);
}

/** Takes the same time wherever the bytes differ. */
function isEqual(wanted: Uint8Array, given: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < SIGNATURE_BYTES; index += 1)
    difference |= (wanted[index] as number) ^ (given[index] as number);
  return difference === 0;
}

/** Undefined for text that is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
