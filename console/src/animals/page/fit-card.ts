// The type size of a kennel card: the largest at which the card fits on one page, or else on two, measured before it is printed.

interface Paper {
  /** The style sheet reads the type size from this property. */
  property: string;
  widthMm: number;
  heightMm: number;
  maxPt: number;
}

/** The browser does not say which paper it prints on, so the style sheet chooses between two sizes. */
const PAPERS: Paper[] = [
  // As narrow as A4 and as short as Letter.
  { property: "--type", widthMm: 186, heightMm: 255, maxPt: 16 },
  // A5.
  { property: "--small-type", widthMm: 124, heightMm: 186, maxPt: 11 },
];
const STEP_PT = 0.5;
/** The smallest readable type. A card that still does not fit has more pages. */
const MIN_PT = 8;
/** The largest type size of a card with two pages: the first one has room for all facts. */
const CONTINUED_MAX_PT = 9.5;
const PIXELS_PER_MM = 96 / 25.4;
/** Leaves room for small differences between screen and paper. */
const FILLED_MAX = 0.98;

export function fitCard(card: HTMLElement): void {
  card.classList.add("measured");
  const sizes = PAPERS.map((paper) => [paper.property, fit(card, paper)] as const);
  card.classList.remove("measured");
  card.removeAttribute("style");
  for (const [property, pt] of sizes) card.style.setProperty(property, `${pt}pt`);
}

function fit(card: HTMLElement, { widthMm, heightMm, maxPt }: Paper): number {
  const pageHeight = heightMm * PIXELS_PER_MM * FILLED_MAX;
  card.style.width = `${widthMm}mm`;
  return findSize(card, pageHeight, maxPt) ?? findSize(card, 2 * pageHeight, CONTINUED_MAX_PT) ?? MIN_PT;
}

function findSize(card: HTMLElement, heightMax: number, maxPt: number): number | undefined {
  for (let pt = maxPt; pt >= MIN_PT; pt -= STEP_PT) {
    card.style.fontSize = `${pt}pt`;
    if (card.offsetHeight <= heightMax) return pt;
  }
  return undefined;
}
