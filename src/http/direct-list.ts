// listPets past the framework: most requests are this one, and most of those ask for nothing special.

import type { ApiKey } from "../domain/api-key.ts";
import type { Admission } from "../domain/limits.ts";
import { perTurn } from "../domain/per-turn.ts";
import type { Arrival, ServeArrivals } from "./arrivals.ts";
import { noteUse } from "./authenticate.ts";
import { type Headers, pageHeaders, requestIdOf } from "./common-headers.ts";
import { decidedBefore } from "./decided.ts";
import type { PetPage, PetPageRequest, PetPages } from "./pet-pages.ts";
import { createPlainListReader } from "./plain-list.ts";
import { rateTexts } from "./rate-headers.ts";
import type { RecordAnswer } from "./request-log.ts";
import type { HttpServices } from "./services.ts";

type Services = Pick<HttpServices, "keyRing" | "gate" | "log" | "metrics" | "isStopping">;

interface Recognised {
  arrival: Arrival;
  wanted: PetPageRequest;
  key: ApiKey;
}
interface Admitted {
  recognised: Recognised;
  admission: Admission;
}
interface Ready {
  admitted: Admitted;
  page: PetPage;
}
interface Answer {
  ready: Ready;
  requestId: string;
  headers: Headers;
}

/**
 * Answers what it can with the very bytes that the framework's way gives, and hands everything else on: refusals,
 * faults, other operations, conditions, pages of other origins, keys that are not in memory. The requests of a turn go
 * from stage to stage together.
 */
export function createDirectList(
  services: Services & { pages: PetPages; record: RecordAnswer },
  next: (arrival: Arrival) => void,
): ServeArrivals {
  const { keyRing, gate, log, metrics, pages, isStopping, record } = services;
  const readPlainList = createPlainListReader();
  const findPagesLater = perTurn(findPages);
  const answerLater = perTurn(answer);

  function recognise(arrivals: Arrival[]): Recognised[] {
    const recognised: Recognised[] = [];
    const isOpen = !isStopping();
    for (const arrival of arrivals) {
      const plain = isOpen ? readPlainList(arrival.request) : undefined;
      const key = plain && keyRing.recall(plain.secret);
      if (plain === undefined || key === undefined) next(arrival);
      else recognised.push({ arrival, wanted: plain.wanted, key });
    }
    return recognised;
  }

  function admit(all: Recognised[]): Admitted[] {
    const admitted: Admitted[] = [];
    for (const recognised of all) {
      const admission = ask(recognised);
      if (admission === undefined) continue;
      if (!(admission instanceof Promise)) admitted.push({ recognised, admission });
      else
        admission.then(
          (decided) => findPagesLater({ recognised, admission: decided }),
          () => next(recognised.arrival),
        );
    }
    return admitted;
  }

  /** A gate that fails has charged nothing: the framework asks it again, and has an answer for its failure. */
  function ask({ key, arrival }: Recognised): ReturnType<typeof gate.admit> | undefined {
    try {
      noteUse(keyRing, key, log);
      return gate.admit(key);
    } catch {
      next(arrival);
      return undefined;
    }
  }

  function findPages(all: Admitted[]): void {
    const found: Ready[] = [];
    for (const admitted of all) {
      const { recognised, admission } = admitted;
      if (admission.verdict !== "admitted") {
        handOn(admitted);
        continue;
      }
      const page = pages.recall(recognised.wanted, admission.versions?.pets);
      if (page !== undefined) found.push({ admitted, page });
      else
        pages.read(recognised.wanted, admission.versions?.pets).then(
          (read) => answerLater({ admitted, page: read }),
          (fault) => handOn(admitted, fault),
        );
    }
    answer(found);
  }

  function handOn({ recognised: { arrival, key }, admission }: Admitted, fault?: unknown): void {
    // Of a stale key nothing has been decided.
    if (admission.verdict !== "stale") decidedBefore.set(arrival.request, { key, admission, fault });
    next(arrival);
  }

  function answer(all: Ready[]): void {
    const answers: Answer[] = [];
    for (const ready of all) {
      const { recognised, admission } = ready.admitted;
      const requestId = requestIdOf(recognised.arrival.request);
      const headers = pageHeaders(requestId, rateTexts(admission), ready.page);
      answers.push({ ready, requestId, headers });
    }
    for (const { ready, headers } of answers) {
      const { response } = ready.admitted.recognised.arrival;
      response.writeHead(200, headers);
      response.end(ready.page.body);
    }
    const endMs = performance.now();
    for (const { ready, requestId } of answers) {
      const { arrival, key } = ready.admitted.recognised;
      metrics.countDecision("key", "admitted");
      const ms = endMs - arrival.startMs;
      record({ requestId, method: "GET", operation: "listPets", key, status: 200, ms });
    }
  }

  return (arrivals) => findPages(admit(recognise(arrivals)));
}
