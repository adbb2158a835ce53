// Schemas of categories.

import { nameRule } from "../../domain/basics/text.ts";
import { CATEGORY_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { identifier, named, pathOf } from "./members.ts";
import { Type } from "./type.ts";

const DOGS = { id: 3, name: "Dogs" };

export const CategoryName = named(
  CATEGORY_NAME_MAX,
  DOGS.name,
  `Name of the category: ${nameRule(CATEGORY_NAME_MAX)}. Stored trimmed.`,
);

export const CategoryNaming = Type.Object(
  { name: CategoryName },
  { title: "CategoryNaming", description: "The new name of a category.", examples: [{ name: DOGS.name }] },
);

export const Category = Type.Object(
  { id: identifier("The `categoryId` of animals.", DOGS.id), name: CategoryName },
  { title: "Category", description: "A category with its name.", examples: [DOGS] },
);

export const Categories = Type.Array(Category, {
  title: "Categories",
  description: "Categories in ascending order of id.",
});

export const CategoryPath = pathOf("categoryId", {
  description: "Identifier of the category.",
  missing: "category_not_found",
  example: DOGS.id,
});

export const CATEGORY_COMPONENTS = [Category, CategoryNaming, Categories];
