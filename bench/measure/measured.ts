/** What a measured thing took. */
export interface Measured {
  /** Real time of the work, in milliseconds. */
  readonly wallMs: number;
  /** Processor time of the work, user and system, all threads, in milliseconds. */
  readonly cpuMs: number;
  /** The most memory that its whole process held, in MB; NaN where it was not measured. */
  readonly peakMb: number;
  /** What else it found, such as how many rows it read. */
  readonly facts: Readonly<Record<string, number>>;
}

/** The middle of each figure, over several measurements of one thing. */
export function medianOf(measured: readonly Measured[]): Measured {
  const names = new Set(measured.flatMap(({ facts }) => Object.keys(facts)));
  return {
    wallMs: median(measured.map(({ wallMs }) => wallMs)),
    cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    peakMb: median(measured.map(({ peakMb }) => peakMb)),
    facts: Object.fromEntries(
      [...names].map((name) => [name, median(measured.map(({ facts }) => facts[name] ?? Number.NaN))]),
    ),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/**
 * Measures each of these things in turn, then all of them again, so that what disturbs the machine disturbs them alike; gives the medians.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  things: Readonly<Record<Name, (round: number) => Promise<Measured>>>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(things) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Measured[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) taken[name].push(await things[name](round));
  }
  return Object.fromEntries(names.map((name) => [name, medianOf(taken[name])])) as Record<Name, Measured>;
}
