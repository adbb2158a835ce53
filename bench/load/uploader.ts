// Clients that upload photos one after another.

import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import sharp from "sharp";
import { call } from "../../test/harness/call.ts";
import { UPLOADERS } from "./upload-part.ts";

/** For one round. Each is another image, so that every upload stores one. */
const IMAGES = 40;
const SIZE = { width: 2000, height: 1500, channels: 3 as const };
/** Pixels of one block of noise. */
const GRAIN = 4;

export interface Uploader {
  /** Resolves when all uploads have been answered. */
  stop(): Promise<{ uploaded: number; fault: string | undefined }>;
}

/** JPEG files with much detail, which are more work than most photos. */
export async function drawPhotos(): Promise<Buffer[]> {
  const [width, height] = [SIZE.width / GRAIN, SIZE.height / GRAIN];
  const noise = sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  const pixels = await noise.resize(SIZE.width, SIZE.height).toBuffer();
  const photos: Buffer[] = [];
  while (photos.length < IMAGES) {
    // A few other lines make another image.
    randomBytes(SIZE.width * 3 * GRAIN).copy(pixels);
    photos.push(await sharp(pixels, { raw: SIZE }).jpeg({ quality: 85 }).toBuffer());
  }
  return photos;
}

/** `photos` is emptied: no photo is sent twice. */
export function startUploader({ url, key }: { url: string; key: string }, photos: Buffer[]): Uploader {
  const agent = new Agent({ keepAlive: true, maxSockets: UPLOADERS });
  const headers = { "content-type": "image/jpeg" };
  let isOver = false;
  let uploaded = 0;
  let fault: string | undefined;

  async function upload(): Promise<void> {
    while (!isOver) {
      const body = photos.pop();
      if (body === undefined) throw new Error("there are no more photos");
      const { json: pet } = await call("POST", `${url}/v1/pets`, {
        key,
        agent,
        body: { name: "Rex", categoryId: 1 },
      });
      const answer = await call("POST", `${url}/v1/pets/${pet.id}/photos`, { key, agent, body, headers });
      if (answer.status !== 201)
        throw new Error(`an upload returned ${answer.status} ${answer.text.slice(0, 200)}`);
      uploaded += 1;
    }
  }

  const clients = Array.from({ length: UPLOADERS }, () =>
    upload().catch((error) => {
      fault ??= error.message;
    }),
  );
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      agent.destroy();
      return { uploaded, fault };
    },
  };
}
