// A shelter for keys that cannot change it.

import type { Shelter } from "../../../client/src/client.ts";
import { type Fact, FactList } from "../shared/parts/fact-list.tsx";
import { t } from "../shared/texts/language.ts";

export function ShelterFacts({ shelter }: { shelter: Shelter }) {
  const texts = t().shelters.fields;
  const { email, phone, website, adoptUrl, about, openingHours, address = {}, location } = shelter;
  const { street, postalCode, city, region, country } = address;
  const town = [postalCode, city].filter(Boolean).join(" ");
  const facts: Fact[] = [
    [texts.name, shelter.name],
    [texts.email, email && <a href={`mailto:${email}`}>{email}</a>],
    [texts.phone, phone && <a href={`tel:${phone.replaceAll(/[^\d+]/g, "")}`}>{phone}</a>],
    [texts.website, website && <Web address={website} />],
    [texts.adoptUrl, adoptUrl && <Web address={adoptUrl} />],
    [t().shelters.address, [street, town, region, country].filter(Boolean).join(", ")],
    [t().shelters.coordinates, location && `${location.latitude}, ${location.longitude}`],
  ];
  return (
    <>
      <FactList facts={facts.filter(([, value]) => value)} />
      <Lines label={texts.openingHours} text={openingHours} />
      <Lines label={texts.about} text={about} />
    </>
  );
}

function Web({ address }: { address: string }) {
  return (
    <a href={address} rel="noreferrer">
      {address}
    </a>
  );
}

function Lines({ label, text }: { label: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <>
      <h2>{label}</h2>
      <p class="description" dir="auto">
        {text}
      </p>
    </>
  );
}
