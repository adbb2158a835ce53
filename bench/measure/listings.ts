// Measures pages of listings and searches in a small and in a large store.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../test/harness/call.ts";
import { startReplay } from "../contenders/bare.ts";
import type { Contender } from "../contenders/contender.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import {
  LISTING_PAGE_NAMES,
  LISTING_PAGES,
  type ListingPage,
  type ListingPageName,
} from "../load/listing-part.ts";
import { runLoad } from "../load/wrk.ts";
import { showProgress } from "../progress.ts";
import type { ListingRun, Sample } from "../results.ts";
import type { Bench } from "./bench.ts";

const LINES = 20_000;

/** A lane is a store of one size, or the bare server. */
type Lane = Contender & { animals: number };

export async function measureListings(bench: Bench, engine: Engine): Promise<ListingRun> {
  const title = `${ENGINES[engine]}, listings`;
  const lanes: Lane[] = [];
  for (const animals of bench.sizes.listings) {
    showProgress(`${title}: creating ${animals} animals`);
    const store = await bench.stores.getListings(engine, animals);
    lanes.push({ ...(await startService(bench, store, String(animals))), animals });
  }
  const largest = lanes.at(-1) as Lane;
  const bare = {
    ...(await startReplay(bench, largest, LISTING_PAGES.first.path())),
    animals: largest.animals,
  };
  const pages: ListingRun["pages"] = [];
  for (const name of LISTING_PAGE_NAMES) {
    const page: ListingPage = LISTING_PAGES[name];
    const all = page.isShared ? [bare, ...lanes] : lanes;
    pages.push({ page: name, samples: await runRounds(bench, all, name, title) });
  }
  for (const { server } of [bare, ...lanes]) await server.stop();
  return { engine, sizes: bench.sizes.listings, pages };
}

async function runRounds(
  bench: Bench,
  lanes: Lane[],
  name: ListingPageName,
  title: string,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const lane of lanes) writeFileSync(fileOf(bench, lane, name), linesOf(name, lane));
  // Round 0 is the warm-up; its result is not stored.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const lane of lanes) {
      const sample = await measure(bench, lane, { name, round });
      const fault = sample.fault === undefined ? "" : `: INVALID, ${sample.fault}`;
      showProgress(`${title}, ${LISTING_PAGES[name].title}, round ${round}, ${lane.name}${fault}`);
      if (round > 0) samples.push(sample);
    }
  }
  return samples;
}

function linesOf(name: ListingPageName, { animals }: Lane): string {
  const page: ListingPage = LISTING_PAGES[name];
  const lines = Array.from({ length: LINES }, (_, index) => `GET ${page.path(index, animals)}\t`);
  return `${lines.join("\n")}\n`;
}

async function measure(
  bench: Bench,
  lane: Lane,
  { name, round }: { name: ListingPageName; round: number },
): Promise<Sample> {
  try {
    await check(lane, name);
    const foreignShare = watchForeignLoad();
    const report = await runLoad({
      program: bench.wrk,
      url: lane.server.url,
      key: lane.key,
      requestFile: fileOf(bench, lane, name),
      seconds: round === 0 ? bench.warmUpSeconds : bench.seconds,
    });
    const conditions = { foreignShare: foreignShare() };
    await lane.server.untilIdle();
    await check(lane, name);
    return { lane: lane.name, round, ...report, ...conditions };
  } catch (error) {
    const none = { requestsPerSecond: 0, p50Us: 0, p99Us: 0, bytesPerResponse: 0, foreignShare: 0 };
    return { lane: lane.name, round, ...none, fault: (error as Error).message };
  }
}

/** Rejects if a page does not have the listings that it should have. */
async function check({ server, key, animals, checkHealth }: Lane, name: ListingPageName): Promise<void> {
  await checkHealth?.();
  const page: ListingPage = LISTING_PAGES[name];
  const path = page.path(Math.floor(Math.random() * LINES), animals);
  const { status, text } = await call("GET", server.url + path, { key });
  if (status !== 200 || JSON.parse(text).length !== page.items)
    throw new Error(`${path} returned ${status} ${text.slice(0, 200)}`);
}

function fileOf({ scope }: Bench, { name }: Lane, page: ListingPageName): string {
  return join(scope.folder, `requests-listings-${name}-${page}.txt`);
}
