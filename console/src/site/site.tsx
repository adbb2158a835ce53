// The page that opens and closes the public pages, for admins: with their address, and how they look.

import { useSignal } from "@preact/signals";
import type { Listing, Site as SiteData } from "../../../client/src/client.ts";
import { CopyText } from "../shared/parts/copy-text.tsx";
import { Form } from "../shared/parts/form.tsx";
import { Head } from "../shared/parts/head.tsx";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { addressOf } from "../shared/state/addresses.ts";
import { site } from "../shared/state/brand.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { isLoopback } from "../shared/state/loopback.ts";
import { hrefOf } from "../shared/state/place.ts";
import { publicAddress, readSite } from "../shared/state/public-site.ts";
import { ask } from "../shared/state/session.ts";
import { hasSeveralShelters, isReachable, shelters } from "../shared/state/shelter-list.ts";
import { LANGUAGES, language, t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { toFields, toPatch } from "./site-fields.ts";
import { type Appearance, SiteForm } from "./site-form.tsx";

/** The first animals of the public list. */
const PREVIEWED = { status: "available,pending", limit: 2 };

export function Site() {
  const loaded = useLoaded(readPage, []);
  if (loaded.data.value === undefined || site.value === undefined) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return <Loaded {...loaded.data.value} site={site.value} />;
}

interface LoadedProps {
  stored: SiteData;
  animals: Listing[];
  site: SiteData;
}

function Loaded({ stored, animals, site }: LoadedProps) {
  const saved = useSignal(toFields(stored));
  const draft = useSignal(saved.value);
  const texts = later().site;
  return (
    <>
      <Head title={t().placeNames.site} />
      <div class="columns">
        <div>
          <Switch site={site} appearance={{ saved, draft }} />
          <Address isPublic={site.isPublic} />
          <section aria-labelledby="websites">
            <h2 id="websites">{texts.websites}</h2>
            <p>{texts.websitesHint}</p>
            <a href={hrefOf("keys", undefined, { create: "publishable" })}>{texts.toKeys}</a>
          </section>
        </div>
        <section aria-labelledby="appearance">
          <h2 id="appearance">{texts.appearance}</h2>
          <SiteForm animals={animals} appearance={{ saved, draft }} />
        </section>
      </div>
    </>
  );
}

async function readPage(signal: AbortSignal) {
  const [stored, { items: animals }] = await Promise.all([
    readSite({ signal }),
    ask((client) => client.listListings(PREVIEWED, { signal }).page()),
  ]);
  return { stored, animals };
}

interface SwitchProps {
  site: SiteData;
  appearance: Appearance;
}

function Switch({ site: { isPublic }, appearance: { saved, draft } }: SwitchProps) {
  const texts = later().site;
  const shown = draft.value.language;

  /** What opens is what the preview shows, saved or not. */
  async function turn(_fields: FormData, signal: AbortSignal): Promise<string> {
    const changes = isPublic ? {} : toPatch(saved.value, draft.value);
    site.value = await ask((client) => client.updateSite({ ...changes, isPublic: !isPublic }, { signal }));
    if (!isPublic) {
      saved.value = toFields(site.value);
      draft.value = saved.value;
    }
    return site.value.isPublic ? texts.opened : texts.closed;
  }

  return (
    <section aria-labelledby="state">
      <h2 id="state">{texts.state}</h2>
      <p>
        <span class={`status ${isPublic ? "enabled" : "disabled"}`}>
          {texts.states[isPublic ? "open" : "closed"]}
        </span>{" "}
        {isPublic ? texts.isOpen : texts.isClosed}
      </p>
      <p>{texts.shown}</p>
      <p>{texts.neverShown}</p>
      <Contact />
      {!isPublic && shown !== language.value && <p class="held">{texts.otherLanguage(LANGUAGES[shown])}</p>}
      <Form action={isPublic ? texts.close : texts.open} isDangerous={isPublic} onSubmit={turn}>
        {isPublic && <p class="quiet">{texts.closeHint}</p>}
      </Form>
    </section>
  );
}

/** A hint while the only shelter has no contact. */
function Contact() {
  const [shelter] = shelters.value?.items ?? [];
  if (shelter === undefined || hasSeveralShelters() || isReachable(shelter)) return null;
  const link = <a href={hrefOf("shelters")}>{t().shelters.ours}</a>;
  return <p class="held">{later().site.noContact(link)}</p>;
}

function Address({ isPublic }: { isPublic: boolean }) {
  const texts = later().site;
  const address = publicAddress("animals");
  return (
    <section aria-labelledby="address">
      <h2 id="address">{texts.address}</h2>
      <CopyText text={address} action={later().secret.copy} />
      {/* Without PUBLIC_URL, the service knows only where it listens. */}
      {isLoopback(address) && <p class="quiet">{texts.onlyHere}</p>}
      <p>
        {isPublic ? (
          <a href={addressOf("animals")} target="_blank" rel="noopener">
            {texts.look}
          </a>
        ) : (
          texts.notYet
        )}
      </p>
    </section>
  );
}
