// The check of photos: whether the image library works here.

import { findImageFault } from "../../images/processor.ts";
import { type Finding, ok, warning } from "./finding.ts";

const MEND =
  "Install the packages again on this machine, with its optional ones: npm ci, or npm install -g of the package. Everything but adding photos works without them.";

/** Starts a process, so only once: the packages stay the same while this program runs. */
let known: ReturnType<typeof findImageFault> | undefined;

export async function examinePhotos(): Promise<Finding> {
  known ??= findImageFault();
  return describePhotos(await known);
}

/** `reason`: why no image can be processed; undefined if all is well. */
export function describePhotos(reason: string | undefined): Finding {
  if (reason === undefined) return ok("photos", "images can be processed");
  // The reason of the library has several lines of advice.
  return warning("photos", `images cannot be processed: ${reason.split("\n", 1)[0]}`, MEND);
}

export const PHOTOS_SILENT = warning(
  "photos",
  "images are processed too slowly",
  "Check the load of this machine; adding photos is refused while it is too high.",
);
