import { SeededRandom } from '../seeded-random.ts';
import type { Inspection } from './inspection.ts';

/** Pieces of SVG that drawings are put together from. Nothing here holds text: letters would look different with every machine's fonts. */

const DRAWING_WIDTH = 640;
const DRAWING_HEIGHT = 480;

export const box = (x: number, y: number, width: number, height: number, fill: string, more = ''): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`;

export const shape = (points: string, fill: string, more = ''): string =>
  `<polygon points="${points}" fill="${fill}" ${more}/>`;

export const round = (x: number, y: number, radius: number, fill: string, more = ''): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" ${more}/>`;

export const placed = (transform: string, ...parts: readonly string[]): string =>
  `<g transform="${transform}">${parts.join('')}</g>`;

/** A whole picture, with the dark corners of a photo. */
export function picture(definitions: string, ...parts: readonly string[]): string {
  const corners =
    '<radialGradient id="corners" r="0.75"><stop offset="0.6" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="0.28"/></radialGradient>';
  const size = `width="${DRAWING_WIDTH}" height="${DRAWING_HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}"><defs>${definitions}${corners}</defs>${parts.join('')}<rect ${size} fill="url(#corners)"/></svg>`;
}

/** A field of short strokes, such as grass, that repeats itself without a visible seam. */
function strokes(id: string, colours: readonly string[], width: number, height: number): string {
  const random = new SeededRandom('strokes', id);
  const lines = Array.from(
    { length: 60 },
    () =>
      `<path d="M${random.integer(2, 88)} ${random.integer(2, 52)} l${random.integer(-width, width)} ${random.integer(-height, 0) - 1}" stroke="${random.pick(colours)}" stroke-width="1.3"/>`,
  );
  return pattern(id, 90, 54, ...lines);
}

/** A spot that fades out: a cloud, a stain. */
export const spot = (id: string, colour: string): string =>
  `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}" stop-opacity="0.85"/><stop offset="0.5" stop-color="${colour}" stop-opacity="0.45"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`;

/** From one colour at the top to another at the bottom. */
export const fade = (id: string, top: string, bottom: string): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>`;

const pattern = (id: string, width: number, height: number, ...parts: readonly string[]): string =>
  `<pattern id="${id}" width="${width}" height="${height}" patternUnits="userSpaceOnUse">${parts.join('')}</pattern>`;

/** What a surface is laid with. */
export interface Courses {
  readonly fill: string;
  readonly joint: string;
  /** How high a row is; 0: no rows. */
  readonly height: number;
  /** How wide a shingle or a brick is, shifted by half from row to row; 0: rows without joints. */
  readonly width: number;
}

/** A surface laid in rows, cut to a shape. Drawn line by line: a repeated pattern takes the renderer several times as long. */
export function laid(points: string, { fill, joint, height, width }: Courses): string {
  const corners = points.split(' ').map((corner) => corner.split(',').map(Number));
  const [xs, ys] = [corners.map(([x = 0]) => x), corners.map(([, y = 0]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const lines = steps(top, bottom, height).flatMap((y, row) => [
    `M${left} ${y}H${right}`,
    ...steps(left + (row % 2) * (width / 2), right, width).map((x) => `M${x} ${y}v${height}`),
  ]);
  const id = `cut${points.replaceAll(/[ ,.]/g, '_')}`;
  return `<clipPath id="${id}">${shape(points, '#000')}</clipPath>${shape(points, fill)}<path d="${lines.join('')}" stroke="${joint}" stroke-width="1.3" clip-path="url(#${id})"/>`;
}

/** From a number on, below another; none where a step leads nowhere. */
const steps = (from: number, below: number, step: number): number[] =>
  step > 0 ? Array.from({ length: Math.ceil((below - from) / step) }, (_, index) => from + index * step) : [];

/** The corners of a rectangle. */
export const rectangle = (x: number, y: number, width: number, height: number): string =>
  `${x},${y} ${x + width},${y} ${x + width},${y + height} ${x},${y + height}`;

const SHADE = '#00000030';

/** Fillings that all pictures from outside share. */
export function outdoorDefinitions({ sky }: House): string {
  return [
    fade('sky', sky, '#eef4f8'),
    fade('lawn', '#7d9a57', '#5f8042'),
    fade('glass', '#9db7c6', '#3d5666'),
    fade('overhead', '#00000000', '#00000038'),
    spot('cloud', '#ffffff'),
    strokes('grass', ['#8fae62', '#57773a', '#6b8c49', '#4d6b34'], 3, 7),
  ].join('');
}

/** A part of a wall. */
export function wallOf({ cladding, wall }: House, points: string): string {
  switch (cladding) {
    case 'siding':
      return laid(points, { fill: wall, joint: '#00000038', height: 9, width: 0 });
    case 'brick':
      return laid(points, { fill: wall, joint: '#e4d6c866', height: 8, width: 22 });
    case 'stucco':
      return laid(points, { fill: wall, joint: wall, height: 0, width: 0 });
  }
}

/** A part of a roof. */
export const roofOf = ({ roof }: House, points: string): string =>
  laid(points, { fill: roof, joint: '#00000042', height: 9, width: 18 });

/** No two skies are alike, where the trees are not. */
function clouds(seed: number): string {
  const random = new SeededRandom('clouds', seed);
  return Array.from(
    { length: 16 },
    () =>
      `<ellipse cx="${random.integer(-40, 680)}" cy="${random.integer(10, 230)}" rx="${random.integer(70, 190)}" ry="${random.integer(10, 32)}" fill="url(#cloud)"/>`,
  ).join('');
}

/** Sky, trees far away, a lawn, and the street where it is seen. */
export const ground = ({ treeAt }: House, street: boolean): string =>
  [
    box(0, 0, 640, 400, 'url(#sky)'),
    clouds(treeAt),
    ...[-20, 60, 150, 250, 340, 430, 520, 610].map(
      (x, index) => `<ellipse cx="${x}" cy="372" rx="70" ry="${42 + (index % 3) * 14}" fill="#6f8a6a"/>`,
    ),
    box(0, 372, 640, 108, 'url(#lawn)'),
    box(0, 372, 640, 108, 'url(#grass)', 'opacity="0.5"'),
    street ? box(0, 446, 640, 6, '#c9c7c0') + box(0, 452, 640, 28, '#77777a') : '',
  ].join('');

/** A window with its frame, the sky in its panes and a sill. */
export const window = (x: number, y: number, width = 50, height = 58): string =>
  [
    box(x - 3, y - 3, width + 6, height + 6, '#f6f5ef'),
    box(x + 2, y + 2, width - 4, height - 4, 'url(#glass)'),
    shape(
      `${x + 2},${y + height * 0.6} ${x + width * 0.7},${y + 2} ${x + width * 0.9},${y + 2} ${x + 2},${y + height * 0.85}`,
      '#ffffff2e',
    ),
    box(x + width / 2 - 1.5, y, 3, height, '#f6f5ef'),
    box(x, y + height / 2 - 1.5, width, 3, '#f6f5ef'),
    box(x - 6, y + height + 2, width + 12, 5, '#e4e1d8'),
    box(x - 6, y + height + 7, width + 12, 3, SHADE),
  ].join('');

const shutters = (x: number, y: number, fill: string): string =>
  [x - 18, x + 54]
    .map(
      (left) =>
        box(left, y - 2, 14, 62, fill) +
        [8, 22, 36, 50].map((down) => box(left + 2, y + down - 4, 10, 2, '#00000040')).join(''),
    )
    .join('');

const door = (x: number, fill: string): string =>
  [
    box(x - 5, 303, 56, 92, '#f6f5ef'),
    box(x, 308, 46, 87, fill),
    ...[316, 352].flatMap((y) => [box(x + 6, y, 14, 28, '#00000030'), box(x + 26, y, 14, 28, '#00000030')]),
    round(x + 40, 352, 2.6, '#d9b64a'),
    box(x - 14, 393, 74, 7, '#bdb8ae'),
  ].join('');

const patioDoor = (x: number): string =>
  `${box(x - 3, 309, 100, 88, '#f6f5ef')}${box(x + 1, 313, 44, 82, 'url(#glass)')}${box(x + 50, 313, 44, 82, 'url(#glass)')}${box(x - 30, 395, 160, 10, '#c4bdb0')}`;

/** The long side of the house, with what casts shadow on it. */
export function facade(house: House, side: 'front' | 'rear'): string {
  const top = house.stories === 2 ? 196 : 268;
  const roof = house.flat
    ? box(148, top - 16, 344, 18, house.roof)
    : roofOf(house, `132,${top + 2} 508,${top + 2} 446,${top - 92} 194,${top - 92}`) +
      shape(`132,${top + 2} 508,${top + 2} 446,${top - 92} 194,${top - 92}`, 'url(#overhead)') +
      box(132, top, 376, 5, '#f0eee6');
  const spots = [178, 262, 424].map((x) => [x, 305] as const);
  const upper = house.stories === 2 ? [178, 262, 344, 424].map((x) => [x, 216] as const) : [];
  const windows = [...spots, ...upper]
    .map(([x, y]) => (house.shutters && side === 'front' ? shutters(x, y, house.door) : '') + window(x, y))
    .join('');
  return [
    house.chimney ? box(398, top - 128, 32, 80, '#84503f') + box(394, top - 132, 40, 7, '#6d4234') : '',
    wallOf(house, rectangle(160, top, 320, 396 - top)),
    box(160, top + 5, 320, 14, SHADE),
    box(160, 386, 320, 10, '#9a958b'),
    roof,
    windows,
    side === 'front' ? door(342, house.door) : patioDoor(318),
  ].join('');
}

export const garage = (house: House): string =>
  [
    wallOf(house, rectangle(480, 292, 124, 104)),
    box(480, 292, 8, 104, SHADE),
    box(493, 318, 98, 78, '#ecebe6'),
    ...[337, 356, 375].map((y) => box(493, y, 98, 1.6, '#b9b9b4')),
    ...[499, 523, 547, 571].map((x) => box(x, 323, 15, 9, '#6f8794')),
    house.flat
      ? box(472, 280, 140, 14, house.roof)
      : roofOf(house, '470,294 614,294 598,258 482,258') + box(470, 292, 144, 4, '#f0eee6'),
  ].join('');

/** The narrow side: in the sun, or in the shade. */
export function gable(house: House, x: number, shaded: boolean): string {
  const top = house.stories === 2 ? 206 : 274;
  const peak = `${x},${top} ${x + 240},${top} ${x + 120},${top - 88}`;
  return [
    wallOf(house, rectangle(x, top, 240, 396 - top)),
    house.flat
      ? box(x - 10, top - 14, 260, 16, house.roof)
      : wallOf(house, peak) +
        `<polyline points="${x - 16},${top + 10} ${x + 120},${top - 94} ${x + 256},${top + 10}" fill="none" stroke="${house.roof}" stroke-width="13"/>`,
    window(x + 38, 306),
    window(x + 150, 306),
    house.stories === 2 ? window(x + 38, 222) + window(x + 150, 222) : '',
    box(x, 386, 240, 10, '#9a958b'),
    box(x + 205, 362, 30, 30, '#c3c6c6') + [368, 374, 380].map((y) => box(x + 208, y, 24, 2, '#8a8d8d')).join(''),
    shaded ? box(x, top, 240, 396 - top, '#0000002e') : '',
  ].join('');
}

export const bushes = (...places: readonly number[]): string =>
  places
    .map(
      (x, index) =>
        `<ellipse cx="${x}" cy="394" rx="${20 + (index % 3) * 6}" ry="15" fill="#4f7040"/><ellipse cx="${x - 6}" cy="389" rx="11" ry="8" fill="#66894f"/>`,
    )
    .join('');

/** From the dark leaves inside to the bright ones in the sun. */
const FOLIAGE: readonly (readonly [number, number, number, string])[] = [
  [0, -130, 56, '#3f6134'],
  [-38, -108, 38, '#45693a'],
  [38, -112, 40, '#3c5c31'],
  [4, -172, 42, '#4d7340'],
  [-22, -150, 38, '#527a45'],
  [26, -152, 30, '#4a6f3d'],
  [-40, -122, 22, '#5c844c'],
  [-10, -182, 24, '#658e54'],
  [-26, -162, 18, '#6d965b'],
  [14, -140, 20, '#587f49'],
  [36, -130, 18, '#527845'],
];

export const tree = (x: number, scale = 1): string =>
  placed(
    `translate(${x} 398) scale(${scale})`,
    `<ellipse cx="12" cy="4" rx="70" ry="9" fill="#00000030"/>`,
    shape('-9,2 9,2 5,-110 -5,-110', '#6a4f39'),
    shape('0,2 9,2 5,-110 1,-110', '#00000035'),
    ...FOLIAGE.map(([dx, y, radius, fill]) => round(dx, y, radius, fill)),
  );

export const fence = (): string =>
  `${Array.from({ length: 33 }, (_, index) => box(index * 20, 338, 17, 50, '#a58c6b') + box(index * 20 + 14, 338, 3, 50, '#00000026')).join('')}${box(0, 350, 640, 4, '#8b7558')}`;

export const path = (): string => shape('340,400 390,400 430,448 318,448', '#cfcabf');
export const driveway = (): string => shape('490,396 594,396 636,450 474,450', '#b8b6b0');
export const shadowOf = (): string => '<ellipse cx="330" cy="399" rx="200" ry="9" fill="#00000035"/>';

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
export function styleOf({ seed, house }: Pick<Inspection, 'seed' | 'house'>): number {
  return new SeededRandom(seed, 'house', house).integer(0, HOUSE_STYLES - 1);
}

export function houseOf(style: number): House {
  const random = new SeededRandom('house', style);
  const cladding = random.pick(['siding', 'siding', 'brick', 'stucco'] as const);
  return {
    cladding,
    wall:
      cladding === 'brick'
        ? random.pick(['#a4553f', '#94503c', '#b06a4e'])
        : random.pick(['#d9c7a5', '#e8e4da', '#8fa3ad', '#c9b27c', '#a7b79a', '#dcd6cf']),
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
