import { crc32 } from 'node:zlib';
import {
  box,
  bushes,
  driveway,
  facade,
  fade,
  fence,
  gable,
  garage,
  ground,
  type House,
  houseOf,
  laid,
  outdoorDefinitions,
  path,
  picture,
  placed,
  rectangle,
  roofOf,
  round,
  shadowOf,
  shape,
  spot,
  styleOf,
  tree,
  wallOf,
  window,
} from './drawings.ts';
import type { ImageView, Inspection, View } from './inspection.ts';

/** A house as SVG. */
function houseDrawing(style: number, view: View): string {
  const house = houseOf(style);
  switch (view) {
    case 'front':
      return front(house);
    case 'rear':
      return picture(
        outdoorDefinitions(house),
        ground(house, false),
        fence(),
        closer(house, shadowOf(), facade(house, 'rear')),
        tree(600 - house.treeAt, 0.9),
        bushes(90, 500),
      );
    case 'left':
      return picture(
        outdoorDefinitions(house),
        ground(house, false),
        fence(),
        closer(house, gable(house, 190, false)),
        tree(house.treeAt),
        bushes(180, 470),
      );
    case 'right':
      return picture(
        outdoorDefinitions(house),
        ground(house, false),
        closer(house, gable(house, 210, true)),
        tree(590, 1.1),
        bushes(150),
      );
    case 'roof':
      return roofFromAbove(house);
    case 'kitchen':
      return kitchen(house);
    case 'panel':
      return panel();
    case 'hazard':
      return hazard(house);
  }
}

/** A low house is photographed from nearer by. */
const closer = ({ stories, garage: wide }: House, ...parts: readonly string[]): string => {
  const scale = (stories === 2 ? 1.12 : 1.28) * (wide ? 0.92 : 1);
  return placed(`translate(${wide ? 290 : 330} 398) scale(${scale.toFixed(3)}) translate(-330 -396)`, ...parts);
};

function front(house: House): string {
  return picture(
    outdoorDefinitions(house),
    ground(house, true),
    closer(
      house,
      house.garage ? driveway() : '',
      path(),
      shadowOf(),
      house.garage ? garage(house) : '',
      facade(house, 'front'),
      bushes(176, 232, 290, 440),
    ),
    tree(house.treeAt, 1.15),
  );
}

function roofFromAbove(house: House): string {
  const vents = [
    [210, 150],
    [330, 330],
    [430, 160],
  ]
    .map(
      ([x = 0, y = 0]) => round(x + 3, y + 3, 9, '#00000040') + round(x, y, 8, '#b9bdbf') + round(x, y, 4, '#6d7275'),
    )
    .join('');
  return picture(
    outdoorDefinitions(house),
    box(0, 0, 640, 480, '#6f8d4d'),
    box(0, 0, 640, 480, 'url(#grass)', 'opacity="0.5"'),
    box(540, 260, 100, 220, '#b8b6b0'),
    placed(
      'rotate(-4 320 240)',
      box(104, 82, 448, 334, '#00000055'),
      roofOf(house, '96,72 544,72 500,238 140,238'),
      roofOf(house, '96,404 544,404 500,238 140,238'),
      shape('96,404 544,404 500,238 140,238', '#00000038'),
      roofOf(house, '96,72 140,238 96,404') + shape('96,72 140,238 96,404', '#00000020'),
      roofOf(house, '544,72 500,238 544,404') + shape('544,72 500,238 544,404', '#ffffff18'),
      box(138, 235, 364, 6, '#ffffff38'),
      `<rect x="96" y="72" width="448" height="332" fill="none" stroke="#eceae2" stroke-width="5"/>`,
      house.chimney
        ? box(396, 118, 46, 46, '#00000050') + box(390, 112, 44, 44, '#84503f') + box(400, 122, 24, 24, '#2d2521')
        : '',
      vents,
    ),
    round(30, 60, 70, '#4c6e3c') + round(70, 20, 50, '#587c45'),
  );
}

function kitchen(house: House): string {
  const front = house.cladding === 'brick' ? '#e9e4d8' : house.door;
  const cupboard = (x: number, y: number, width: number, height: number): string =>
    `${box(x, y, width, height, front)}${box(x + 8, y + 8, width - 16, height - 16, 'none', 'stroke="#00000040" stroke-width="2"')}${box(x + width - 8, y + height / 2 - 10, 3, 20, '#c9ccce')}${box(x + width - 1.5, y, 1.5, height, '#00000050')}`;
  return picture(
    [
      fade('glass', '#cfe3f0', '#9fbccd'),
      fade('plaster', '#f3eee4', '#ddd6c8'),
      fade('steel', '#d9dddf', '#9ba2a6'),
    ].join(''),
    box(0, 0, 640, 480, 'url(#plaster)'),
    laid(rectangle(0, 400, 640, 80), { fill: '#a9825a', joint: '#6d5034', height: 22, width: 160 }),
    laid(rectangle(30, 170, 420, 90), { fill: '#f1efe9', joint: '#c9c4b8', height: 17, width: 34 }),
    ...[30, 112].map((x) => cupboard(x, 56, 82, 114)),
    cupboard(368, 56, 82, 114),
    window(212, 74, 140, 92),
    ...[30, 112, 332].map((x) => cupboard(x, 276, 82, 128)),
    box(194, 276, 138, 128, 'url(#steel)') +
      box(208, 316, 110, 66, '#23272a') +
      box(208, 304, 110, 5, '#6e7478') +
      [218, 244, 270, 296].map((x) => round(x + 6, 289, 6, '#3b3f42')).join(''),
    box(20, 260, 440, 17, '#d5d1c8') + box(20, 274, 440, 4, '#00000038'),
    `<path d="M120 260 v-30 q0 -14 16 -14 q14 0 14 14 v4" fill="none" stroke="#9aa1a5" stroke-width="6"/>`,
    box(474, 70, 140, 334, 'url(#steel)') +
      box(474, 186, 140, 3, '#6e7478') +
      box(484, 92, 6, 76, '#70777b') +
      box(484, 206, 6, 130, '#70777b'),
    box(20, 400, 600, 8, '#00000040'),
  );
}

function panel(): string {
  const breaker = (x: number, y: number, on: boolean): string =>
    `${box(x, y, 58, 22, '#1f2327')}${box(x + (on ? 34 : 10), y + 5, 14, 12, '#e6e6e2')}${box(x + 62, y + 5, 26, 12, '#f4f1e6')}`;
  return picture(
    [spot('stain', '#8f8878'), fade('steel', '#aab0b4', '#7f868b')].join(''),
    laid(rectangle(0, 0, 640, 480), { fill: '#c4beb2', joint: '#9f998c', height: 74, width: 150 }),
    ...[
      [60, 90, 120],
      [560, 420, 160],
      [110, 400, 90],
    ].map(([x = 0, y = 0, radius = 0]) => round(x, y, radius, 'url(#stain)', 'opacity="0.6"')),
    box(296, 0, 22, 60, '#9ea4a7') + box(352, 0, 16, 60, '#8e9498') + box(300, 420, 20, 60, '#9ea4a7'),
    box(196, 58, 272, 384, '#00000055') + box(186, 50, 272, 380, 'url(#steel)'),
    shape('458,50 560,74 560,408 458,430', '#949ba0') + round(546, 240, 6, '#4c5256'),
    box(208, 72, 228, 336, '#c9cdcf'),
    box(290, 84, 66, 26, '#1f2327') + box(314, 90, 18, 14, '#c23a2e'),
    ...Array.from(
      { length: 9 },
      (_, row) =>
        breaker(222, 124 + row * 30, row !== 4) +
        placed('translate(644 0) scale(-1 1)', breaker(222, 124 + row * 30, true)),
    ),
  );
}

/** A corner of the house from near by: a crack in the wall, rubbish beside it, and the inspector's mark around it. */
function hazard(house: House): string {
  const crack = 'M300 70 l18 58 l-14 42 l30 64 l-10 40 l22 60';
  return picture(
    outdoorDefinitions(house),
    ground(house, false),
    wallOf(house, rectangle(90, 0, 550, 400)) + box(90, 0, 26, 400, '#f0eee6') + box(90, 372, 550, 28, '#9a958b'),
    placed('translate(-560 -500) scale(2.4)', window(430, 235)),
    `<path d="${crack}" stroke="#2e241d" stroke-width="7" fill="none" stroke-linejoin="bevel"/><path d="${crack}" stroke="#00000055" stroke-width="2" fill="none" transform="translate(6 2)"/>`,
    `<path d="M318 128 l26 14 l10 26" stroke="#2e241d" stroke-width="3" fill="none"/>`,
    placed('rotate(-9 240 420)', box(170, 404, 150, 16, '#8a6a48'), box(190, 390, 120, 14, '#a27f57')),
    shape('360,430 402,398 452,404 470,432', '#77756f') +
      round(140, 424, 16, '#3e5160') +
      round(140, 420, 10, '#22303a'),
    `<ellipse cx="314" cy="200" rx="92" ry="150" fill="none" stroke="#d8261c" stroke-width="6"/>`,
  );
}

/** How large a photo is, and how much of it is kept. */
const SIZES = {
  /** As the image endpoint gives it. */
  full: { width: 640, quality: 78 },
  /** As it stands in a report. */
  report: { width: 480, quality: 72 },
  /** As it stands in a compressed one. */
  small: { width: 240, quality: 50 },
} as const;
export type PhotoSize = keyof typeof SIZES;

/** Every sandbox of a process draws the same houses: each drawing is made once and kept. */
const drawings = new Map<string, Promise<Buffer>>();

/** The house of an inspection from one side, as JPEG. */
export async function drawnJpeg(inspection: Inspection, shows: View, size: PhotoSize): Promise<Buffer> {
  return await drawn(styleOf(inspection), shows, 'jpeg', size);
}

/** A photo: the drawing with a comment of its own inside the file, so that no two have the same bytes, and one seed always gives the same ones. */
export async function photoOf(
  inspection: Inspection,
  { shows, format }: ImageView,
  size: PhotoSize = 'full',
): Promise<Buffer> {
  const drawing = await drawn(styleOf(inspection), shows, format, size);
  const comment = Buffer.from(`project ${inspection.key} ${shows}`, 'latin1');
  return format === 'jpeg' ? withJpegComment(drawing, comment) : withPngComment(drawing, comment);
}

async function drawn(style: number, shows: View, format: 'jpeg' | 'png', size: PhotoSize): Promise<Buffer> {
  const key = `${style} ${shows} ${format} ${size}`;
  let drawing = drawings.get(key);
  if (drawing === undefined) drawings.set(key, (drawing = draw(style, shows, format, size)));
  return await drawing;
}

async function draw(style: number, shows: View, format: 'jpeg' | 'png', size: PhotoSize): Promise<Buffer> {
  // Loaded on first use: the server starts without it.
  const { default: sharp } = await import('sharp');
  const { width, quality } = SIZES[size];
  // To draw takes several times as long as to make a drawing smaller.
  const drawing = sharp(
    size === 'full' ? Buffer.from(houseDrawing(style, shows)) : await drawn(style, shows, 'jpeg', 'full'),
  ).resize({ width });
  // To find a palette of colours takes twice as long as to draw; only what was a JPEG before needs one to be small.
  return await (
    format === 'jpeg'
      ? drawing.flatten().jpeg({ quality })
      : drawing.png(size === 'full' ? {} : { palette: true, effort: 1 })
  ).toBuffer();
}

/** A COM segment right after the start of the image. */
function withJpegComment(jpeg: Buffer, comment: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(comment.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)]);
}

/** Where the IHDR chunk ends: 8 bytes of signature, 25 of the chunk. */
const PNG_AFTER_HEADER = 33;

/** A tEXt chunk right after the header. */
function withPngComment(png: Buffer, comment: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('tEXtComment\0', 'latin1'), comment]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([
    png.subarray(0, PNG_AFTER_HEADER),
    frame.subarray(0, 4),
    body,
    frame.subarray(4),
    png.subarray(PNG_AFTER_HEADER),
  ]);
}
