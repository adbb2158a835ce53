// A list of 100 animals in the console, each with a photo of its own: all photos are shown.

import { createHash } from "node:crypto";
import sharp from "sharp";
import { withStores } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { testConsole, untilShown } from "../../harness/clients/console.ts";
import type { AppHarness } from "../../harness/servers/app.ts";

const ANIMALS = 100;

testConsole("Many photos in the console", async (t, { app, visit }) => {
  await addAnimals(app);

  await t.test("a page of 100 animals shows 100 photos", async (t) => {
    const page = await visit(t);
    await page.goto(`${app.url}/#animals?size=100`);
    await untilShown(() => page.getByRole("rowheader").count(), ANIMALS);
    const thumbnails = page.locator(".thumbnail");
    // The browser loads a photo when its row comes near to the viewport.
    const rows = page.getByRole("rowheader");
    for (let index = 9; index < ANIMALS; index += 10) await rows.nth(index).scrollIntoViewIfNeeded();
    await untilShown(
      () =>
        thumbnails.evaluateAll(
          (all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length,
        ),
      ANIMALS,
    );
  });
});

/** Stores the images directly: to convert each upload would take half a minute. */
async function addAnimals({ call, engines }: AppHarness): Promise<void> {
  await withStores(readConfig(engines), async ({ stores: { photos } }) => {
    for (let index = 0; index < ANIMALS; index++) {
      const { json: pet } = await call("POST", "/pets", { body: { name: `Animal ${index}`, categoryId: 1 } });
      const background = { r: index * 2, g: 255 - index * 2, b: 100 };
      const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
        .webp({ lossless: true })
        .toBuffer();
      const image = {
        hash: createHash("sha256").update(bytes).digest("hex"),
        width: 64,
        height: 64,
        variants: [{ width: 64, bytes }],
      };
      const stamp = { keyId: 1n, atMs: Date.now() };
      await photos.storeImage(BigInt(pet.id), image, stamp.atMs);
      await photos.add(BigInt(pet.id), { hash: image.hash, alt: "" }, stamp);
    }
  });
}
