import { SeededRandom } from '../seeded-random.ts';
import type { Inspection } from './inspection.ts';

interface PicturedHouse {
  readonly name: string;
  readonly stories: 1 | 2;
  readonly garage: boolean;
}

const HOUSES: readonly PicturedHouse[] = [
  { name: '0', stories: 1, garage: false },
  { name: '1', stories: 2, garage: false },
  { name: '2', stories: 2, garage: false },
  { name: '3', stories: 1, garage: true },
  { name: '4', stories: 2, garage: false },
  { name: '5', stories: 2, garage: true },
  { name: '6', stories: 1, garage: false },
  { name: '7', stories: 2, garage: true },
  { name: '8', stories: 1, garage: true },
  { name: '9', stories: 2, garage: true },
];

/** The same for every inspection at an address. */
export function picturedHouseOf({ seed, house }: Pick<Inspection, 'seed' | 'house'>): PicturedHouse {
  return new SeededRandom(seed, 'house', house).pick(HOUSES);
}
