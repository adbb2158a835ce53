// The photos of an import at the addresses that an export of another service has in its column photos.

import type { Config } from "../config/config.ts";
import { IMAGE_BYTES_MAX } from "../domain/animals/photo-limits.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { isImageStart } from "../images/check-bytes.ts";
import { PhotoFileError, type PhotoSource } from "../transfer/import/photo-folder.ts";
import { createAddressRules } from "../webhooks/addresses.ts";
import { createDownload, DownloadError } from "../webhooks/downloads.ts";
import { listOwnAddresses } from "../webhooks/gateway.ts";
import { createTargets } from "../webhooks/targets.ts";

const HTTPS = /^https:/i;

/** The settings of webhooks permit addresses, and name the proxy. */
export function openPhotoUrls(config: Config): PhotoSource {
  const { webhookAllow: allow, port } = config;
  const findOwn = () => listOwnAddresses(config, port);
  const rules = createAddressRules({ allowHttp: false, allow, findOwn });
  const download = createDownload({ targets: createTargets({ rules, proxies: config }) });

  return {
    check(url) {
      if (!HTTPS.test(url)) throw new PhotoFileError("it is no https address");
      explaining(() => rules.readUrl(url));
    },
    async read(url) {
      const bytes = await download(url, IMAGE_BYTES_MAX).catch((error) => {
        throw error instanceof DownloadError ? new PhotoFileError(error.message) : error;
      });
      if (!isImageStart(bytes)) throw new PhotoFileError("it is not a JPEG, PNG or WebP image");
      return bytes;
    },
  };
}

function explaining(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw error instanceof ServiceError ? new PhotoFileError(error.message) : error;
  }
}
