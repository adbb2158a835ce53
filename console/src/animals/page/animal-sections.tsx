// The sections of an animal's page that are edited in place: who it is, what it is like, its story, and the records.

import type { ComponentChildren } from "preact";
import { FactList } from "../../shared/parts/fact-list.tsx";
import { categoryName } from "../../shared/state/category-names.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { chipsOf, identityOf, recordsOf } from "../profile/facts.ts";
import { Section, type SectionProps } from "../profile/section.tsx";
import { nameClass } from "./name-class.ts";

/** `children` is its status. */
export function Identity({ children, ...props }: SectionProps & { children: ComponentChildren }) {
  const { listing } = props;
  const line = identityOf(listing);
  return (
    <Section
      {...props}
      name="identity"
      heading={
        <h1 class={nameClass(listing.name)}>
          <bdi>{listing.name}</bdi>
        </h1>
      }
    >
      <p class="animal-state">
        {line.length === 0 ? (
          <span class="quiet">{later().sections.unknown.identity}</span>
        ) : (
          line.map((fact, index) => (
            <span key={fact}>
              {index > 0 && " · "}
              <bdi>{fact}</bdi>
            </span>
          ))
        )}{" "}
        {children}
      </p>
    </Section>
  );
}

export function Traits(props: SectionProps) {
  const chips = chipsOf(props.listing);
  const texts = later().sections;
  return (
    <Section {...props} name="traits" heading={<h2>{texts.titles.traits}</h2>}>
      {chips.length === 0 ? (
        <p class="quiet">{texts.unknown.traits}</p>
      ) : (
        <ul class="chips">
          {chips.map(({ text, kind }) => (
            <li key={text} class={kind} dir="auto">
              {text}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function Story(props: SectionProps) {
  const { description, videoUrl } = props.listing.profile;
  const texts = later().sections;
  return (
    <Section {...props} name="story" heading={<h2>{texts.titles.story}</h2>}>
      {description === undefined ? (
        <p class="quiet">{texts.unknown.story(props.listing.name)}</p>
      ) : (
        <p class="description" dir="auto">
          {description}
        </p>
      )}
      {videoUrl !== undefined && (
        <p>
          <a href={videoUrl} target="_blank" rel="noreferrer">
            {texts.video}
          </a>
        </p>
      )}
    </Section>
  );
}

export function Records(props: SectionProps) {
  const { id, categoryId, shelter } = props.listing;
  const texts = later().sections;
  const place: Array<[string, ComponentChildren]> = hasSeveralShelters()
    ? [
        [
          t().shelters.one,
          <a key="shelter" href={hrefOf("shelters", String(shelter.id))}>
            {shelter.name}
          </a>,
        ],
      ]
    : [];
  return (
    <Section {...props} name="records" heading={<h2>{texts.titles.records}</h2>}>
      <FactList
        facts={[
          [t().common.number, String(id)],
          [t().common.category, categoryName(categoryId) ?? String(categoryId)],
          ...place,
          ...recordsOf(props.listing),
        ]}
      />
    </Section>
  );
}
