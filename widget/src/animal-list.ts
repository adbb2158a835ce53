// The element <animal-store-list>: shows the animals of a store on any page, with a publishable key.

import { LIMIT_DEFAULT, PARAMETERS } from "./attributes.ts";
import { create, renderCard, renderPlaceholder } from "./card.ts";
import {
  firstPageOf,
  isSitePublic,
  ListError,
  type ListPage,
  readPage,
  readService,
  resolveAddress,
} from "./request.ts";
import { findStyleSheet } from "./style.ts";
import { chooseTexts, formatCount, type Texts } from "./texts.ts";

const NAME = "animal-store-list";
/** After the last key stroke, so that not every letter costs a request. */
const TYPING_MS = 400;
const SEARCH_LENGTH_MAX = 100;
const PLACEHOLDERS_MAX = 100;
/** A visitor does not wait longer. */
const WAIT_MAX_SECONDS = 600;
/** Parameters, key or origin are wrong, which only the owner of the page can change. */
const BAD_SETUP = [400, 401, 403];
/** Added to a wait at most, so that visitors who were refused together do not come back together. */
const WAIT_JITTER = 0.2;

class AnimalStoreList extends HTMLElement {
  static readonly observedAttributes = ["src", "key", "href", "lang", "filters", ...PARAMETERS];

  readonly #label = create("span");
  readonly #field = create("input", "field");
  readonly #form = create("form", "search", create("label", "", this.#label, this.#field));
  readonly #message = create("p", "message");
  readonly #list = create("ul", "list");
  readonly #button = create("button", "button");
  readonly #frame = create("div", "", this.#form, this.#message, this.#list, this.#button);
  #texts: Texts = chooseTexts("");
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pausedUntilMs = 0;
  #isStarting = false;
  #root = "";
  /** With `{id}`. Undefined or empty: cards have no links. */
  #pattern: string | undefined;
  #onClick: (() => void) | undefined;

  constructor() {
    super();
    this.#form.role = "search";
    this.#field.type = "search";
    this.#field.maxLength = SEARCH_LENGTH_MAX;
    this.#message.role = "status";
    // Safari does not announce a list without bullets as one.
    this.#list.role = "list";
    this.#button.type = "button";
    this.#button.addEventListener("click", () => this.#onClick?.());
    this.#field.addEventListener("input", () => this.#loadLater(TYPING_MS));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#loadLater(0);
    });
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [findStyleSheet()];
    root.append(this.#frame);
  }

  connectedCallback(): void {
    this.#start();
  }

  disconnectedCallback(): void {
    this.#stop();
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (value === before) return;
    if (name === "q") this.#field.value = value ?? "";
    this.#start();
  }

  /** Once for all attributes that change together. */
  #start(): void {
    if (this.#isStarting || !this.isConnected) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      if (!this.isConnected) return;
      this.#texts = chooseTexts(this.closest<HTMLElement>("[lang]")?.lang ?? "");
      this.#frame.lang = this.#texts.language;
      this.#label.textContent = this.#texts.search;
      this.#form.hidden = !this.hasAttribute("filters");
      this.#list.replaceChildren();
      void this.#load();
    });
  }

  #stop(): void {
    this.#running?.abort();
    clearTimeout(this.#timer);
  }

  /** Never before the end of a pause that the service asked for. */
  #loadLater(ms: number, next?: URL): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#load(next),
      Math.max(ms, this.#pausedUntilMs - performance.now()),
    );
  }

  /** Without `next`: the first page. */
  async #load(next?: URL): Promise<void> {
    this.#stop();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#message.textContent = this.#texts.loading;
    // A button that is used stays, so that the focus does.
    this.#offer(next && this.#texts.more);
    if (next !== undefined || !this.#list.hasChildNodes()) this.#addPlaceholders();
    try {
      const page = next === undefined ? await this.#readFirst(signal) : await readPage(next, signal);
      if (!signal.aborted) this.#show(page, next === undefined);
    } catch (error) {
      if (!(error instanceof ListError)) throw error;
      if (!signal.aborted) this.#fail(error, next);
    }
  }

  async #readFirst(signal: AbortSignal): Promise<ListPage> {
    const service = readService(this);
    this.#root = service.root;
    const href = this.getAttribute("href");
    const [page, isPublic] = await Promise.all([
      readPage(firstPageOf(this, service, this.#field.value.trim()), signal),
      href === null && isSitePublic(service, signal),
    ]);
    this.#pattern = href ?? (isPublic ? `${service.root}/animals/{id}` : undefined);
    return page;
  }

  #show({ listings, next }: ListPage, isFirst: boolean): void {
    const { shown, none, noneFound, more } = this.#texts;
    this.#removeCards(isFirst);
    const cards = listings.map((listing) => {
      const href = this.#pattern
        ? resolveAddress(this.#pattern.replaceAll("{id}", String(listing.id)))
        : undefined;
      const card = renderCard(listing, { texts: this.#texts, root: this.#root, href });
      card.querySelector("a")?.addEventListener("click", (event) => {
        if (!this.#send("animal-select", { id: listing.id })) event.preventDefault();
      });
      return card;
    });
    this.#list.append(...cards);
    const count = this.#list.childElementCount;
    this.#message.textContent = count > 0 ? shown(count) : this.#field.value === "" ? none : noneFound;
    if (next !== undefined) this.#offer(more, () => void this.#load(next));
    else this.#removeButton(cards[0]);
    this.#send("animals-load", { count });
  }

  #fail(error: ListError, next: URL | undefined): void {
    const { badSearch, badSetup, unavailable, tryAgain, wait } = this.#texts;
    const { code, status, message, retryAfterSeconds } = error;
    this.#removeCards(next === undefined);
    this.#offer(undefined);
    if (retryAfterSeconds !== undefined && retryAfterSeconds <= WAIT_MAX_SECONDS) {
      const seconds = retryAfterSeconds * (1 + Math.random() * WAIT_JITTER);
      this.#pausedUntilMs = performance.now() + seconds * 1000;
      this.#message.textContent = wait(formatWait(Math.ceil(seconds), this.#texts));
      this.#loadLater(0, next);
    } else if (status === 400 && !next && this.#field.value !== (this.getAttribute("q") ?? ""))
      this.#message.textContent = badSearch;
    else if (code === "invalid_attribute" || (BAD_SETUP.includes(status) && !next))
      this.#message.textContent = `${badSetup} ${message}`;
    else {
      this.#message.textContent = unavailable;
      // A cursor may no longer be valid.
      this.#offer(tryAgain, () => void this.#load(status === 400 ? undefined : next));
    }
    this.#send("animals-error", { code });
  }

  #addPlaceholders(): void {
    const limit = Number(this.getAttribute("limit") || LIMIT_DEFAULT);
    const length = Math.min(limit, PLACEHOLDERS_MAX) || 0;
    this.#list.append(...Array.from({ length }, renderPlaceholder));
  }

  #removeCards(isEvery: boolean): void {
    for (const card of [...this.#list.children]) if (isEvery || card.ariaHidden === "true") card.remove();
  }

  /** Shows the button with this label; undefined hides it. */
  #offer(label: string | undefined, onClick?: () => void): void {
    this.#button.hidden = label === undefined;
    this.#button.textContent = label ?? "";
    this.#onClick = onClick;
  }

  /** A visitor who used the button continues at the first new card. */
  #removeButton(card: HTMLElement | undefined): void {
    if (card !== undefined && this.shadowRoot?.activeElement === this.#button) {
      card.tabIndex = -1;
      card.focus({ preventScroll: true });
    }
    this.#offer(undefined);
  }

  /** False where the page has cancelled the event. */
  #send(name: string, detail: object): boolean {
    const cancelable = name === "animal-select";
    return this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, cancelable, detail }));
  }
}

function formatWait(seconds: number, texts: Texts): string {
  return seconds < 90
    ? formatCount(seconds, "second", texts)
    : formatCount(Math.ceil(seconds / 60), "minute", texts);
}

// A page may load the module from two addresses.
if (customElements.get(NAME) === undefined) customElements.define(NAME, AnimalStoreList);
