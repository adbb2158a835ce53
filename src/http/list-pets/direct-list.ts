// listPets past the framework: most requests are this one, and most of those ask for nothing special.

import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Admission } from "../../domain/keys/limits.ts";
import { perTick } from "../../tools/per-tick.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { recordKeyUse } from "../request/authenticate.ts";
import { createFaultAnswer } from "../response/answer-fault.ts";
import { type Headers, pageHeaders, requestIdOf } from "../response/common-headers.ts";
import { rateTexts } from "../response/rate-headers.ts";
import type { HttpServices } from "../services.ts";
import type { Arrival, ServeArrivals } from "./arrivals.ts";
import { decidedBefore } from "./decided.ts";
import type { PetPage, PetPageRequest, PetPages } from "./pet-pages.ts";
import { createPlainListReader } from "./plain-list.ts";

type Services = Pick<HttpServices, "keyRing" | "gate" | "log" | "metrics" | "isStopping" | "corsOrigins">;

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
 * from stage to stage together; whatever a stage throws for one of them fails that one alone.
 */
export function createDirectList(
  services: Services & { pages: PetPages; record: RecordAnswer },
  framework: (arrival: Arrival) => void,
): ServeArrivals {
  const { keyRing, gate, log, metrics, pages, isStopping, record } = services;
  const readPlainList = createPlainListReader();
  const findPagesLater = perTick(findPages);
  const answerLater = perTick(answer);
  const answerFault = createFaultAnswer(services);

  function next(arrival: Arrival): void {
    try {
      framework(arrival);
    } catch (fault) {
      answerFault(arrival, fault);
    }
  }

  function recognise(arrivals: Arrival[]): Recognised[] {
    const recognised: Recognised[] = [];
    const isOpen = !isStopping();
    for (const arrival of arrivals) {
      try {
        const plain = isOpen ? readPlainList(arrival.request) : undefined;
        const key = plain && keyRing.recall(plain.secret);
        if (plain === undefined || key === undefined) next(arrival);
        else recognised.push({ arrival, wanted: plain.wanted, key });
      } catch (fault) {
        answerFault(arrival, fault);
      }
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
      recordKeyUse(keyRing, key, log);
      return gate.admit(key);
    } catch {
      next(arrival);
      return undefined;
    }
  }

  function findPages(all: Admitted[]): void {
    const found: Ready[] = [];
    for (const admitted of all) {
      try {
        const page = findPage(admitted);
        if (page !== undefined) found.push({ admitted, page });
      } catch (fault) {
        handOn(admitted, fault);
      }
    }
    answer(found);
  }

  /** Undefined for a request that is handed on, or answered later. */
  function findPage(admitted: Admitted): PetPage | undefined {
    const { recognised, admission } = admitted;
    if (admission.verdict !== "admitted") {
      handOn(admitted);
      return undefined;
    }
    const page = pages.recall(recognised.wanted, admission.versions?.pets);
    if (page === undefined)
      pages.read(recognised.wanted, admission.versions?.pets).then(
        (read) => answerLater({ admitted, page: read }),
        (fault) => handOn(admitted, fault),
      );
    return page;
  }

  function handOn({ recognised: { arrival, key }, admission }: Admitted, fault?: unknown): void {
    // Of a stale key nothing has been decided.
    if (admission.verdict !== "stale") decidedBefore.set(arrival.request, { key, admission, fault });
    next(arrival);
  }

  function answer(all: Ready[]): void {
    const answers: Answer[] = [];
    for (const ready of all) {
      try {
        answers.push(prepare(ready));
      } catch (fault) {
        handOn(ready.admitted, fault);
      }
    }
    const sent = answers.filter(send);
    const endMs = performance.now();
    for (const each of sent) {
      try {
        note(each, endMs);
      } catch (err) {
        log.error({ reqId: each.requestId, err }, "an answer was not recorded");
      }
    }
  }

  function note({ ready, requestId }: Answer, endMs: number): void {
    const { arrival, key } = ready.admitted.recognised;
    metrics.countDecision("key", "admitted");
    const ms = endMs - arrival.startMs;
    record({ requestId, method: "GET", operation: "listPets", key, status: 200, ms });
  }

  function prepare(ready: Ready): Answer {
    const { recognised, admission } = ready.admitted;
    const requestId = requestIdOf(recognised.arrival.request);
    return { ready, requestId, headers: pageHeaders(requestId, rateTexts(admission), ready.page) };
  }

  /** False where it has failed; then somebody else has answered. */
  function send({ ready, headers }: Answer): boolean {
    const { arrival } = ready.admitted.recognised;
    try {
      arrival.response.writeHead(200, headers);
      arrival.response.end(ready.page.body);
      return true;
    } catch (fault) {
      if (arrival.response.headersSent) answerFault(arrival, fault);
      else handOn(ready.admitted, fault);
      return false;
    }
  }

  return (arrivals) => findPages(admit(recognise(arrivals)));
}
