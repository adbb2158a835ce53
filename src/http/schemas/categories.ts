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

export const CategoryNaming = Type.Named(
  "CategoryNaming",
  "The new name of a category.",
  [{ name: DOGS.name }],
  {
    name: CategoryName,
  },
);

export const Category = Type.Named("Category", "A category with its name.", [DOGS], {
  id: identifier("The `categoryId` of animals.", DOGS.id),
  name: CategoryName,
});

export const Categories = Type.List("Categories", "Categories in ascending order of id.", Category);

export const CategoryPath = pathOf(
  "categoryId",
  "category_not_found",
  "Identifier of the category.",
  DOGS.id,
);

export const CATEGORY_COMPONENTS = [Category, CategoryNaming, Categories];
