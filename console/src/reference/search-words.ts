// The words of a search: without those of a question that say nothing, and as stems, so that "retry" finds "retries".

/** Of questions such as "how do I retry a request". */
const FILLERS = new Set(
  "a am an and any are at be been can could did do does for from get has have how i if in into is it its me my need of on or our please shall should so that the their them then there these they this to us use want was we what when where which who why will with would you your".split(
    " ",
  ),
);

/** From long to short: the first that fits is cut. */
const ENDINGS = ["ations", "ation", "ings", "ing", "ies", "ied", "ion", "ed", "es", "e", "s", "y"];
const STEM_MIN = 3;

/** Empty for an empty text. A text of fillers alone is searched as it is. */
export function readSearch(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[\s?!,]+/)
    .filter(Boolean);
  const telling = words.filter((word) => !FILLERS.has(word));
  return (telling.length === 0 ? words : telling).map(stemOf);
}

/** A beginning that the forms of a word share. Codes, paths and names of operations stay as they are. */
function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= STEM_MIN);
  if (ending === undefined || word.endsWith("ss")) return word;
  const stem = word.slice(0, -ending.length);
  // "banned", "dropping"
  const isDoubled = /^(?:ing|ings|ed)$/.test(ending) && stem.at(-1) === stem.at(-2) && stem.length > STEM_MIN;
  return isDoubled ? stem.slice(0, -1) : stem;
}
