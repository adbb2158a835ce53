// Schemas of photos.

import { ALT_MAX } from "../../domain/animals/photo-limits.ts";
import { PHOTOS_PER_PET_MAX } from "../../domain/basics/count-limits.ts";
import { freeText, identifier } from "./members.ts";
import { Type } from "./type.ts";

const EXAMPLE_HASH = "b9ba4e4e2aee2f71a5d5b5d9f0f0d3a3d1b3a4f0b0f8c2a7d4d5a7f1b0c9e8d7";
const urlOf = (width: number) => `https://animals.example.org/photos/${EXAMPLE_HASH}-${width}.webp`;
const ALT = "Rex runs across a meadow";
/** The photo of all examples. */
const PHOTO = {
  id: 1,
  width: 800,
  height: 600,
  alt: ALT,
  urls: { 320: urlOf(320), 640: urlOf(640) },
};

const Alt = freeText(ALT_MAX, ALT, "A description of the photo for people who cannot see it.");

const Urls = Type.Part(
  "PhotoUrls",
  "Addresses of the image as WebP, by width. None is larger than the image. They need no key, and their content never changes.",
  {
    320: Type.String({
      description: "320 pixels wide. An image that is narrower has only this address, with its own width.",
    }),
    640: Type.Optional(Type.String({ description: "640 pixels wide." })),
    1280: Type.Optional(Type.String({ description: "1280 pixels wide." })),
    2048: Type.Optional(Type.String({ description: "2048 pixels wide." })),
  },
);

export const Photo = Type.Named("Photo", "A photo of an animal.", [PHOTO], {
  id: identifier("Assigned by the service in ascending order, never reused."),
  width: Type.Integer({ description: "Width of the uploaded image in pixels." }),
  height: Type.Integer({ description: "Height of the uploaded image in pixels." }),
  alt: Alt,
  urls: Urls,
});

export const Photos = Type.List("Photos", "The photos of an animal. The first is the cover.", Photo);

export const PhotoOrder = Type.Named(
  "PhotoOrder",
  `A new order of the up to ${PHOTOS_PER_PET_MAX} photos of an animal.`,
  [{ order: [PHOTO.id] }],
  {
    order: Type.Array(identifier("Identifier of a photo.", PHOTO.id), {
      description: "The identifiers of all photos of the animal, each once. The first becomes the cover.",
    }),
  },
);

export const PhotoPatch = Type.Named("PhotoPatch", "A new description of a photo.", [{ alt: ALT }], {
  alt: Alt,
});

export const NewPhotoQuery = Type.Object({
  alt: Type.Optional(Type.Annotated(Alt, { examples: [ALT] })),
});

export const PhotoPath = Type.Object(
  {
    petId: identifier("Identifier of the animal."),
    photoId: identifier("Identifier of the photo.", PHOTO.id),
  },
  { "x-missing": "photo_not_found" },
);

export const PHOTO_COMPONENTS = [Photo, Photos, Urls, PhotoOrder, PhotoPatch];
