import { SeededRandom } from '../seeded-random.ts';

/** Pieces of SVG that drawings are put together from. Nothing here holds text: letters would look different with every machine's fonts. */

const DRAWING_WIDTH = 640;
const DRAWING_HEIGHT = 480;

export const box = (x: number, y: number, width: number, height: number, fill: string, more = ''): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`;

export const shape = (points: string, fill: string, more = ''): string => `<polygon points="${points}" fill="${fill}" ${more}/>`;

export const round = (x: number, y: number, radius: number, fill: string, more = ''): string => `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" ${more}/>`;

export const placed = (transform: string, ...parts: readonly string[]): string => `<g transform="${transform}">${parts.join('')}</g>`;

/** A whole picture, with the dark corners of a photo. */
export function picture(definitions: string, ...parts: readonly string[]): string {
  const corners = '<radialGradient id="corners" r="0.75"><stop offset="0.6" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="0.28"/></radialGradient>';
  const size = `width="${DRAWING_WIDTH}" height="${DRAWING_HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}"><defs>${definitions}${corners}</defs>${parts.join('')}<rect ${size} fill="url(#corners)"/></svg>`;
}

/** A field of short strokes, such as grass, that repeats itself without a visible seam. */
export function strokes(id: string, colours: readonly string[], width: number, height: number): string {
  const random = new SeededRandom('strokes', id);
  const lines = Array.from({ length: 60 }, () => `<path d="M${random.integer(2, 88)} ${random.integer(2, 52)} l${random.integer(-width, width)} ${random.integer(-height, 0) - 1}" stroke="${random.pick(colours)}" stroke-width="1.3"/>`);
  return pattern(id, 90, 54, ...lines);
}

/** A spot that fades out: a cloud, a stain. */
export const spot = (id: string, colour: string): string => `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}" stop-opacity="0.85"/><stop offset="0.5" stop-color="${colour}" stop-opacity="0.45"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`;

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
  const lines = steps(top, bottom, height).flatMap((y, row) => [`M${left} ${y}H${right}`, ...steps(left + (row % 2) * (width / 2), right, width).map((x) => `M${x} ${y}v${height}`)]);
  const id = `cut${points.replaceAll(/[ ,.]/g, '_')}`;
  return `<clipPath id="${id}">${shape(points, '#000')}</clipPath>${shape(points, fill)}<path d="${lines.join('')}" stroke="${joint}" stroke-width="1.3" clip-path="url(#${id})"/>`;
}

/** From a number on, below another; none where a step leads nowhere. */
const steps = (from: number, below: number, step: number): number[] => (step > 0 ? Array.from({ length: Math.ceil((below - from) / step) }, (_, index) => from + index * step) : []);

/** The corners of a rectangle. */
export const rectangle = (x: number, y: number, width: number, height: number): string => `${x},${y} ${x + width},${y} ${x + width},${y + height} ${x},${y + height}`;
