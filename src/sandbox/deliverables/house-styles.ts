import { SeededRandom } from '../seeded-random.ts';
import type { Inspection } from './inspection.ts';

/** A handful of houses: each project's is one of them, so that drawings can be kept. */
const HOUSE_STYLES = 10;

/** What a house looks like. */
export interface House {
  readonly cladding: 'siding' | 'brick' | 'stucco';
  readonly wall: string;
  readonly roof: string;
  readonly door: string;
  readonly sky: string;
  readonly flat: boolean;
  readonly chimney: boolean;
  readonly garage: boolean;
  readonly stories: 1 | 2;
  readonly shutters: boolean;
  /** Where the tree stands, from the left. */
  readonly treeAt: number;
}

/** Which of the houses an inspection's is. */
export function styleOf({ seed, key }: Pick<Inspection, 'seed' | 'key'>): number {
  return new SeededRandom(seed, 'house', key).integer(0, HOUSE_STYLES - 1);
}

export function houseOf(style: number): House {
  const random = new SeededRandom('house', style);
  const cladding = random.pick(['siding', 'siding', 'brick', 'stucco'] as const);
  return {
    cladding,
    wall: cladding === 'brick' ? random.pick(['#a4553f', '#94503c', '#b06a4e']) : random.pick(['#d9c7a5', '#e8e4da', '#8fa3ad', '#c9b27c', '#a7b79a', '#dcd6cf']),
    roof: random.pick(['#4f4f55', '#6b4a3e', '#44505c', '#7a6a55', '#7d4a38']),
    door: random.pick(['#7b2d26', '#2f4858', '#3c5a3c', '#5a4632', '#22303c']),
    sky: random.pick(['#7fb2e0', '#9cc3e4', '#b9c9d6', '#8fbbe6']),
    flat: random.chance(0.15),
    chimney: random.chance(0.5),
    garage: random.chance(0.55),
    stories: random.chance(0.45) ? 2 : 1,
    shutters: random.chance(0.4),
    treeAt: random.integer(20, 80),
  };
}
