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

export interface Chooser<T extends Writable> {
  /** `readNewest` is called if timelines are equal. Resolves to the newest number of a server's history. */
  choose(writable: T[], readNewest: (server: T) => Promise<number>): Promise<Choice<T>>;
}

/**
 * The higher timeline wins, then the higher number, then the first. A server that has lost once is not used while the
 * winner is away: it lacks changes, and what it would take would be lost.
 */
export function createChooser<T extends Writable>(): Chooser<T> {
  const beaten = new Set<string>();
  let highestTimeline = 0;

  return {
    async choose(writable, readNewest) {
      highestTimeline = Math.max(highestTimeline, ...writable.map(({ timeline }) => timeline));
      const newest = writable.filter(({ timeline }) => timeline === highestTimeline);
      const best = await chooseNewest(newest, readNewest);
      const isBest = ({ instance }: T) => instance === best?.instance;
      if (best === undefined || (beaten.has(best.instance) && newest.every(isBest)))
        return { best: undefined, older: writable };
      const older = writable.filter((each) => !isBest(each));
      beaten.delete(best.instance);
      for (const { instance } of older) beaten.add(instance);
      return { best, older };
    },
  };
}

/** All have the same timeline. */
async function chooseNewest<T extends Writable>(
  servers: T[],
  readNewest: (server: T) => Promise<number>,
): Promise<T | undefined> {
  if (new Set(servers.map(({ instance }) => instance)).size < 2) return servers[0];
  const numbers = await Promise.all(servers.map(readNewest));
  return servers[numbers.indexOf(Math.max(...numbers))];
}
