import { SeededRandom } from '../seeded-random.ts';

/** What a photo shows. */
export type View = 'front' | 'right' | 'rear' | 'left' | 'roof' | 'kitchen' | 'panel' | 'hazard';

/** A handful of houses: each project's is one of them, so that drawings can be kept. */
export const HOUSE_STYLES = 10;
const DRAWING_WIDTH = 640;
const DRAWING_HEIGHT = 480;

interface House {
  readonly wall: string;
  readonly roof: string;
  readonly door: string;
  readonly sky: string;
  readonly flat: boolean;
  readonly chimney: boolean;
  readonly garage: boolean;
  readonly stories: number;
  readonly treeAt: number;
}

/** A house as SVG, without any text: letters would look different with every machine's fonts. */
export function houseDrawing(style: number, view: View): string {
  const house = houseOf(style);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${DRAWING_WIDTH}" height="${DRAWING_HEIGHT}" viewBox="0 0 640 480">${scene(house, view)}</svg>`;
}

function houseOf(style: number): House {
  const random = new SeededRandom('house', style);
  return {
    wall: random.pick(['#d9c7a5', '#b5533c', '#e8e4da', '#8fa3ad', '#c9b27c', '#a7b79a']),
    roof: random.pick(['#4a4a4f', '#6b3b2e', '#39424e', '#7a6a55', '#8c4a32']),
    door: random.pick(['#7b2d26', '#2f4858', '#3c5a3c', '#5a4632']),
    sky: random.pick(['#bcd9f2', '#cfe0ea', '#dfe6ea', '#a9cdee']),
    flat: random.chance(0.2),
    chimney: random.chance(0.5),
    garage: random.chance(0.6),
    stories: random.chance(0.4) ? 2 : 1,
    treeAt: random.integer(20, 110),
  };
}

function scene(house: House, view: View): string {
  switch (view) {
    case 'front':
      return outdoors(house) + body(house, true) + (house.garage ? garage(house) : '') + tree(house.treeAt);
    case 'rear':
      return outdoors(house) + body(house, false) + tree(560 - house.treeAt);
    case 'left':
      return outdoors(house) + gable(house, 180) + tree(house.treeAt);
    case 'right':
      return outdoors(house) + gable(house, 220) + tree(540);
    case 'roof':
      return roofFromAbove(house);
    case 'kitchen':
      return kitchen(house);
    case 'panel':
      return panel();
    case 'hazard':
      return outdoors(house) + body(house, true) + hazard();
  }
}

const box = (x: number, y: number, width: number, height: number, fill: string, more = ''): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`;

const outdoors = (house: House): string =>
  `<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${house.sky}"/><stop offset="1" stop-color="#f4f7f9"/></linearGradient></defs>` +
  `${box(0, 0, 640, 480, 'url(#s)')}${box(0, 380, 640, 100, '#7f9b5f')}${box(0, 440, 640, 40, '#8d8d88')}`;

const window = (x: number, y: number): string =>
  `${box(x, y, 50, 56, '#f7f7f2')}${box(x + 4, y + 4, 42, 48, '#5d7f95')}${box(x + 23, y + 4, 4, 48, '#f7f7f2')}`;

function body(house: House, withDoor: boolean): string {
  const top = house.stories === 2 ? 190 : 265;
  const windows = [190, 270, 400].map((x) => window(x, 300) + (house.stories === 2 ? window(x, 215) : '')).join('');
  const roof = house.flat
    ? box(150, top - 18, 340, 20, house.roof)
    : `<polygon points="135,${top} 505,${top} 440,${top - 95} 200,${top - 95}" fill="${house.roof}"/>`;
  const chimney = house.chimney ? box(400, top - 130, 30, 70, '#7d4a3a') : '';
  return `${chimney}${box(160, top, 320, 395 - top, house.wall)}${roof}${windows}${withDoor ? box(340, 310, 46, 85, house.door) : box(330, 315, 66, 80, '#5d7f95')}`;
}

const garage = (house: House): string =>
  `${box(480, 290, 120, 105, house.wall)}${box(492, 320, 96, 75, '#e4e4e0')}${[338, 356, 374].map((y) => box(492, y, 96, 2, '#b9b9b4')).join('')}${box(472, 278, 136, 14, house.roof)}`;

function gable(house: House, x: number): string {
  const top = house.stories === 2 ? 200 : 270;
  const roof = house.flat ? box(x - 10, top - 16, 260, 18, house.roof) : `<polygon points="${x - 15},${top} ${x + 255},${top} ${x + 120},${top - 100}" fill="${house.roof}"/>`;
  return `${box(x, top, 240, 395 - top, house.wall)}${roof}${window(x + 40, 305)}${window(x + 150, 305)}`;
}

const tree = (x: number): string => `${box(x - 7, 320, 14, 80, '#6a4c35')}<circle cx="${x}" cy="290" r="48" fill="#55783f"/><circle cx="${x + 24}" cy="316" r="32" fill="#4c6c38"/>`;

function roofFromAbove(house: House): string {
  const courses = Array.from({ length: 18 }, (_, index) => box(120, 96 + index * 16, 400, 2, '#00000022')).join('');
  return `${box(0, 0, 640, 480, '#7f9b5f')}${box(110, 80, 420, 320, '#00000033')}${box(120, 90, 400, 300, house.roof)}${courses}${box(120, 236, 400, 8, '#ffffff33')}${house.chimney ? box(400, 150, 40, 40, '#7d4a3a') : ''}`;
}

const kitchen = (house: House): string =>
  `${box(0, 0, 640, 480, '#efe9de')}${box(0, 390, 640, 90, '#b08d62')}${box(40, 60, 360, 110, house.door)}${box(40, 270, 560, 130, house.door)}${box(30, 255, 580, 18, '#d7d4cc')}${box(440, 60, 130, 195, '#c9ced2')}${box(200, 285, 110, 100, '#3b3f44')}${window(300, 180)}`;

const panel = (): string =>
  `${box(0, 0, 640, 480, '#cfc9bd')}${box(220, 60, 200, 360, '#8b9196')}${box(235, 75, 170, 330, '#aeb4b8')}${Array.from({ length: 10 }, (_, index) => box(260, 100 + index * 29, 50, 18, '#22262a') + box(330, 100 + index * 29, 50, 18, '#22262a')).join('')}`;

const hazard = (): string =>
  `<path d="M230 300 l14 34 l-10 18 l20 40" stroke="#3a2d24" stroke-width="5" fill="none"/>${box(420, 396, 90, 26, '#6d5a44', 'transform="rotate(-8 460 410)"')}<circle cx="245" cy="345" r="70" fill="none" stroke="#d22" stroke-width="6"/>`;
