// The attributes that choose what the element lists.

/** Attributes that are parameters of listListings; `age-group` is `ageGroup` there. */
export const PARAMETERS = [
  "status",
  "q",
  "category-id",
  "shelter-id",
  "species",
  "sex",
  "size",
  "age-group",
  "good-with",
  "near",
  "within",
  "sort",
  "limit",
];
export const LIMIT_DEFAULT = "12";
