// Category names: listCategories, putCategory, deleteCategory.

import { ServiceError } from "../../domain/errors.ts";
import { trimName } from "../../domain/text.ts";
import { answerPage, placeById } from "../response/pages.ts";
import { Categories, Category, CategoryNaming, CategoryPath } from "../schemas/categories.ts";
import { PageQuery } from "../schemas/members.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listCategories: Route = (app, services) =>
  app.get(
    "/categories",
    {
      schema: {
        operationId: "listCategories",
        tag: "Categories",
        summary: "List categories",
        description: "One page of the categories that have a name, in ascending order of id.",
        querystring: PageQuery,
        answer: { description: "A page of categories.", headers: ["ETag", "Link"] },
        response: { 200: Categories },
      },
      config: { access: "browse", etag: true, errors: ["invalid_parameter", "invalid_cursor"] },
    },
    async ({ query }, reply) =>
      answerPage(reply, query, {
        path: "categories",
        base: apiUrl(services),
        read: services.categories.list,
        place: placeById,
      }),
  );

export const putCategory: Route = (app, { categories }) =>
  app.put(
    "/categories/:categoryId",
    {
      schema: {
        operationId: "putCategory",
        tag: "Categories",
        summary: "Name a category",
        description:
          "Creates the category (201) or renames it (200). Animals may have a category id without a name.",
        params: CategoryPath,
        body: CategoryNaming,
        answer: { description: "The category with its name." },
        response: { 200: Category, 201: Category },
      },
      config: { access: "manage", errors: ["category_not_found"] },
    },
    async ({ params: { categoryId }, body }, reply) => {
      const category = { id: categoryId, name: trimName(body.name) };
      reply.code((await categories.put(category)) === "created" ? 201 : 200);
      return category;
    },
  );

export const deleteCategory: Route = (app, { categories }) =>
  app.delete(
    "/categories/:categoryId",
    {
      schema: {
        operationId: "deleteCategory",
        tag: "Categories",
        summary: "Delete the name of a category",
        description: "Animals keep their category id.",
        params: CategoryPath,
        answer: { description: "The category has no name." },
      },
      config: { access: "manage", errors: ["category_not_found"] },
    },
    async ({ params: { categoryId } }, reply) => {
      if (!(await categories.delete(categoryId))) throw new ServiceError("category_not_found");
      return reply.code(204).send();
    },
  );

export const categoryRoutes = routePlugin(listCategories, putCategory, deleteCategory);
