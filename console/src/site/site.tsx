// The page that opens and closes the public pages, for admins: with their address, and how they look.

import type { Site as SiteData } from "../../../client/src/client.ts";
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
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/lazy.ts";
import { SiteForm } from "./site-form.tsx";

/** The first animals of the public list. */
const PREVIEWED = { status: "available,pending", limit: 2 };

export function Site() {
  const loaded = useLoaded(readPage, []);
  const texts = later().site;
  if (loaded.data.value === undefined || site.value === undefined) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return (
    <>
      <Head title={t().placeNames.site} />
      <div class="columns">
        <div>
          <Switch site={site.value} />
          <Address isPublic={site.value.isPublic} />
          <section aria-labelledby="websites">
            <h2 id="websites">{texts.websites}</h2>
            <p>{texts.websitesHint}</p>
            <a href={hrefOf("keys", undefined, { create: "publishable" })}>{texts.toKeys}</a>
          </section>
        </div>
        <section aria-labelledby="appearance">
          <h2 id="appearance">{texts.appearance}</h2>
          <SiteForm {...loaded.data.value} />
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

function Switch({ site: { isPublic } }: { site: SiteData }) {
  const texts = later().site;

  async function turn(_fields: FormData, signal: AbortSignal): Promise<string> {
    site.value = await ask((client) => client.updateSite({ isPublic: !isPublic }, { signal }));
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
