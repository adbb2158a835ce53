// Chooses the server that writes go to, if several take writes: after a failover, the old primary may come back.

export interface Writable {
  /** HOST:PORT */
  name: string;
  /** Equal for two addresses of one server. */
  instance: string;
  /** Increases when a standby is promoted. */
  timeline: number;
}

/** The result of a choice: the best server, and those whose history is older. */
interface Choice<T> {
  best: T | undefined;
  older: T[];
}

interface Histories<T> {
  /** Called if timelines are equal. Resolves to the newest number of a server's history. */
  readNewest(server: T): Promise<number>;
  /** Called for a server with an older history. Resolves to true if every other server has this history too. */
  isOnly(server: T): Promise<boolean>;
}

export interface Chooser<T extends Writable> {
  choose(writable: T[], histories: Histories<T>): Promise<Choice<T>>;
  /** Whether the server at this address has an older history. */
  hasLost(name: string): boolean;
  /** It has the history of the winner now. */
  forgive(name: string): void;
}

/**
 * The higher timeline wins, then the higher number, then the first. A server that has lost is not used while the winner is
 * away: it lacks changes, and what it would take would be lost. That also holds after it has started again. It is used when
 * it has been promoted, when it has rejoined the winner, and when no server has the winner's history any more.
 */
export function createChooser<T extends Writable>(): Chooser<T> {
  let lost: Writable[] = [];
  let highestTimeline = 0;

  const isLost = (server: T) =>
    lost.some(
      ({ name, instance, timeline }) =>
        instance === server.instance || (name === server.name && timeline >= server.timeline),
    );

  async function findBest(writable: T[], { readNewest, isOnly }: Histories<T>): Promise<T | undefined> {
    highestTimeline = Math.max(highestTimeline, ...writable.map(({ timeline }) => timeline));
    const newest = writable.filter(({ timeline }) => timeline === highestTimeline);
    if (!newest.every(isLost)) return chooseNewest(newest, readNewest);
    const [single] = writable;
    if (single === undefined || countServers(writable) > 1 || !(await isOnly(single))) return undefined;
    highestTimeline = single.timeline;
    return single;
  }

  return {
    async choose(writable, histories) {
      const best = await findBest(writable, histories);
      if (best === undefined) return { best, older: writable };
      const older = writable.filter(({ instance }) => instance !== best.instance);
      lost = lost.filter(({ name, instance }) => name !== best.name && instance !== best.instance);
      lost = lost.filter(({ name }) => !older.some((each) => each.name === name)).concat(older);
      return { best, older };
    },
    hasLost: (address) => lost.some(({ name }) => name === address),
    forgive(address) {
      lost = lost.filter(({ name }) => name !== address);
    },
  };
}

/** All have the same timeline. */
async function chooseNewest<T extends Writable>(
  servers: T[],
  readNewest: (server: T) => Promise<number>,
): Promise<T | undefined> {
  if (countServers(servers) < 2) return servers[0];
  const numbers = await Promise.all(servers.map(readNewest));
  return servers[numbers.indexOf(Math.max(...numbers))];
}

/** Several addresses may be of one server. */
const countServers = (servers: Writable[]) => new Set(servers.map(({ instance }) => instance)).size;
