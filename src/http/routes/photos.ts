// The photos of an animal: addPhoto, orderPhotos, updatePhoto, deletePhoto.

import { createHash } from "node:crypto";
import { describePhoto } from "../../domain/animals/photo.ts";
import { IMAGE_KEPT_DAYS, IMAGE_MEMORY_MAX, IMAGE_PIXELS_MAX } from "../../domain/animals/photo-limits.ts";
import { PHOTOS_PER_PET_MAX } from "../../domain/basics/count-limits.ts";
import { originOf } from "../admission/caller.ts";
import type { Upload } from "../request/upload-budget.ts";
import { PetPath } from "../schemas/pets.ts";
import { NewPhotoQuery, Photo, PhotoOrder, PhotoPatch, PhotoPath, Photos } from "../schemas/photos.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const addPhoto: Route<"answerPost" | "photos" | "images" | "clock" | "publicUrl"> = (app, services) =>
  app.post("/pets/:petId/photos", {
    schema: {
      operationId: "addPhoto",
      summary: "Add a photo to an animal",
      description: `The body is the image itself. It is turned upright, stripped of all metadata and stored as WebP in several widths; the uploaded file is not kept. It may have ${IMAGE_PIXELS_MAX / 1e6} megapixels, and as an interlaced PNG or progressive JPEG need ${IMAGE_MEMORY_MAX / 1e6} MB (pixels × bytes per pixel). One image of a key is processed at a time, and two wait. The photo becomes the last of up to ${PHOTOS_PER_PET_MAX}. If the animal has the same image already, its photo is returned unchanged.`,
      params: PetPath,
      querystring: NewPhotoQuery,
      answer: "The added photo.",
      response: { 201: Photo },
    },
    config: {
      access: "manage",
      upload: "image",
      errors: ["invalid_image", "other_shelter", "too_many_photos"],
    },
    handler: (request, reply) => {
      const { photos, images, publicUrl } = services;
      const { petId } = request.params;
      const { alt = "" } = request.query;
      const upload = request.upload as Upload;
      const stamp = originOf(request, services);
      let hash = "";
      // Part of what the client asks for, though it is not in the body.
      request.fingerprint = createHash("sha256")
        .update(request.fingerprint as Buffer)
        .update(alt)
        .digest();
      return services.answerPost(
        request,
        reply,
        async (stores) => {
          const photo = await stores.photos.add(petId, { hash, alt }, stamp);
          return {
            status: 201,
            location: apiUrl(services, `/pets/${petId}/photos/${photo.id}`),
            body: describePhoto(photo, publicUrl()) as never,
          };
        },
        async () => {
          await photos.requirePet(petId, stamp);
          const image = await upload.use((bytes) => images.processImage(bytes, stamp.keyId));
          await photos.storeImage(petId, image, stamp.atMs);
          hash = image.hash;
        },
      );
    },
  });

export const orderPhotos: Route<"photos" | "clock" | "publicUrl"> = (app, services) =>
  app.patch("/pets/:petId/photos", {
    schema: {
      operationId: "orderPhotos",
      summary: "Order the photos of an animal",
      description: "The first photo is the cover.",
      params: PetPath,
      body: PhotoOrder,
      answer: "All photos in their new order.",
      response: { 200: Photos },
    },
    config: { access: "manage", errors: ["other_shelter"] },
    handler: async (request) => {
      const { params, body } = request;
      const ordered = await services.photos.order(params.petId, body.order, originOf(request, services));
      return ordered.map((photo) => describePhoto(photo, services.publicUrl())) as never;
    },
  });

export const updatePhoto: Route<"photos" | "clock" | "publicUrl"> = (app, services) =>
  app.patch("/pets/:petId/photos/:photoId", {
    schema: {
      operationId: "updatePhoto",
      summary: "Describe a photo",
      description: "Replaces the description for people who cannot see the photo.",
      params: PhotoPath,
      body: PhotoPatch,
      answer: "The photo with its new description.",
      response: { 200: Photo },
    },
    config: { access: "manage", errors: ["other_shelter", "pet_not_found"] },
    handler: async (request) => {
      const { petId, photoId } = request.params;
      const { alt } = request.body;
      const photo = await services.photos.setAlt(petId, photoId, alt, originOf(request, services));
      return describePhoto(photo, services.publicUrl()) as never;
    },
  });

export const deletePhoto: Route<"photos" | "clock"> = (app, services) =>
  app.delete("/pets/:petId/photos/:photoId", {
    schema: {
      operationId: "deletePhoto",
      summary: "Delete a photo",
      description: `Permanent. The addresses of its image work for another ${IMAGE_KEPT_DAYS} days, because pages may still show it.`,
      params: PhotoPath,
      answer: "The photo is deleted.",
    },
    config: { access: "manage", errors: ["other_shelter", "pet_not_found"] },
    handler: async (request, reply) => {
      const { petId, photoId } = request.params;
      await services.photos.delete(petId, photoId, originOf(request, services));
      return reply.code(204).send();
    },
  });

export const photoRoutes = routePlugin("Listings", addPhoto, orderPhotos, updatePhoto, deletePhoto);
