// Category names: listCategories, putCategory, deleteCategory.

import { ServiceError } from "../../domain/basics/errors.ts";
import { originOf } from "../admission/caller.ts";
import { answerPage } from "../pages/pages.ts";
import { Categories, Category, CategoryNaming, CategoryPath } from "../schemas/categories.ts";
import { PageQuery } from "../schemas/members.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listCategories: Route<"categories" | "publicUrl"> = (app, services) =>
  app.get("/categories", {
    schema: {
      operationId: "listCategories",
      summary: "List categories",
      description: "One page of the categories that have a name, in ascending order of id.",
      querystring: PageQuery,
      answer: "A page of categories.",
      response: { 200: Categories },
    },
    config: { access: "browse", publishable: true, etag: true },
    handler: async ({ query }, reply) =>
      answerPage(reply, query, {
        path: "categories",
        base: apiUrl(services),
        read: services.categories.list,
      }),
  });

export const putCategory: Route<"categories" | "clock"> = (app, services) =>
  app.put("/categories/:categoryId", {
    schema: {
      operationId: "putCategory",
      summary: "Name a category",
      description:
        "Creates the category (201) or renames it (200). Animals may have a category id without a name.",
      params: CategoryPath,
      body: CategoryNaming,
      answer: "The category with its name.",
      response: { 200: Category, 201: Category },
    },
    config: { access: "manage", errors: ["other_shelter"] },
    handler: async (request, reply) => {
      const category = { id: request.params.categoryId, name: request.body.name.trim() };
      const outcome = await services.categories.put(category, originOf(request, services));
      reply.code(outcome === "created" ? 201 : 200);
      return category;
    },
  });

export const deleteCategory: Route<"categories" | "clock"> = (app, services) =>
  app.delete("/categories/:categoryId", {
    schema: {
      operationId: "deleteCategory",
      summary: "Delete the name of a category",
      description: "Animals keep their category id.",
      params: CategoryPath,
      answer: "The category has no name.",
    },
    config: { access: "manage", errors: ["other_shelter"] },
    handler: async (request, reply) => {
      const stamp = originOf(request, services);
      const isDeleted = await services.categories.delete(request.params.categoryId, stamp);
      if (!isDeleted) throw new ServiceError("category_not_found");
      return reply.code(204).send();
    },
  });

export const categoryRoutes = routePlugin("Categories", listCategories, putCategory, deleteCategory);
