import { START, stepsFrom, wrongWith, type Protocol, type State, type Variant } from './protocol.ts';

export interface Verdict {
  /** How many different states were looked at. */
  readonly states: number;
  /** What is wrong, and the shortest history that leads there; null where nothing is. */
  readonly wrong: { readonly what: string; readonly history: readonly string[] } | null;
  /** Names of steps that occurred: a model in which nothing happens proves nothing. */
  readonly happened: ReadonlySet<string>;
}

interface Visited {
  readonly state: State;
  readonly from: Visited | null;
  readonly what: string;
}

/** Looks at every history of a protocol, the shortest first. */
export function lookAtEveryHistory(variant: Variant, protocol: Protocol): Verdict {
  const seen = new Set<string>([JSON.stringify(START)]);
  const queue: Visited[] = [{ state: START, from: null, what: 'start' }];
  const happened = new Set<string>();
  for (const visited of queue) {
    const what = wrongWith(visited.state);
    if (what !== null) return { states: seen.size, wrong: { what, history: historyOf(visited) }, happened };
    for (const step of stepsFrom(visited.state, variant, protocol)) {
      happened.add(step.what);
      const key = JSON.stringify(step.state);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ state: step.state, from: visited, what: step.what });
    }
  }
  return { states: seen.size, wrong: null, happened };
}

function historyOf(visited: Visited): string[] {
  const history: string[] = [];
  for (let at: Visited | null = visited; at !== null; at = at.from) history.unshift(at.what);
  return history;
}
