// Schemas of categories.

import { CATEGORY_NAME_MAX } from "../../domain/category.ts";
import { nameRule } from "../../domain/text.ts";
import { identifier, named, pathOf } from "./members.ts";
import { Type } from "./type.ts";

const CategoryName = named(
  CATEGORY_NAME_MAX,
  "Dogs",
  `Name of the category: ${nameRule(CATEGORY_NAME_MAX)}. Stored trimmed.`,
);

export const CategoryNaming = Type.Object(
  { name: CategoryName },
  { title: "CategoryNaming", description: "The new name of a category.", examples: [{ name: "Dogs" }] },
);

export const Category = Type.Object(
  { id: identifier("The `categoryId` of animals."), name: CategoryName },
  { title: "Category", description: "A category with its name.", examples: [{ id: 3, name: "Dogs" }] },
);

export const Categories = Type.Array(Category, {
  title: "Categories",
  description: "Categories in ascending order of id.",
});

export const CategoryPath = pathOf("categoryId", "Identifier of the category.", "category_not_found");

export const CATEGORY_COMPONENTS = [Category, CategoryNaming, Categories];
