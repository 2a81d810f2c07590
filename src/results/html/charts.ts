import type { EChartsOption } from 'echarts';
import { visible } from '../../domain/text.ts';
import type { FlatRecord } from '../flatten.ts';
import type { ResultsInput } from '../model.ts';
import type { Counted, Tallies } from '../sheets/overview.ts';
import { html } from './page.ts';

const UNKNOWN_COLOUR = '#9aa0a8';

function conditionColour(condition: string): string {
  return ROOF_COLOURS.find(({ name }) => name === condition)?.colour ?? UNKNOWN_COLOUR;
}

/** The charts of the page: those that have something to show. */
export async function figuresOf({ stages, outstandingByAge }: ResultsInput['overview'], { tallies, ages }: { readonly tallies: Tallies; readonly ages: RoofAges }): Promise<readonly ChartFigure[]> {
  const painter = await chartPainter();
  return [
    ...(stages.length === 0 ? [] : [stagesFigure(stages, painter)]),
    ...(outstandingByAge.length === 0 ? [] : [painter.bars('Outstanding projects, by age', outstandingByAge.map(({ age, count }) => ({ name: age, count })), '#8a6fb0')]),
    ...(tallies.hazards.length === 0 ? [] : [painter.bars('Houses with a hazard, by kind', tallies.hazards, '#c8692b')]),
    ...(tallies.roofConditions.length === 0 ? [] : [painter.bars('Condition of the roof', tallies.roofConditions.map((bar) => ({ ...bar, colour: conditionColour(bar.name) })), UNKNOWN_COLOUR)]),
    ...(ages.rows.length === 0 ? [] : [painter.stacked('Condition of the roof by its age, where both were assessed', ages.rows, ages.segments)]),
  ];
}

/** The last stage is told as a bar only where there is something to count: nobody should take a service that is not told for a failure. */
function stagesFigure(stages: ResultsInput['overview']['stages'], painter: ChartPainter): ChartFigure {
  const told = stages.filter(({ name, count }) => name !== 'received' || count > 0).map(({ name, count }) => ({ name: name === 'received' ? 'acknowledged to the service' : name, count }));
  const figure = painter.bars('From rows to results', told, '#3b74c4');
  if (told.length === stages.length) return figure;
  return { ...figure, note: 'Receipt is not acknowledged to the service unless collect.markReceived is switched on: the results are complete without it.' };
}

/** The document's words, the worst first; `other` stands for those that it does not have. */
const ROOF_COLOURS = [
  { name: 'Poor', colour: '#c0392b' },
  { name: 'Fair', colour: '#d99a2b' },
  { name: 'Average', colour: '#8a98ab' },
  { name: 'Good', colour: '#4f9a64' },
  { name: 'Excellent', colour: '#2f7d5b' },
  { name: 'other', colour: '#7a6fb0' },
] as const;

/** Counts roofs by age and condition, where both were assessed. */
export class RoofAges {
  readonly #counts = new Map<string, number[]>();

  /** The conditions; `other` only where there are such. */
  get segments(): readonly { readonly name: string; readonly colour: string }[] {
    const others = [...this.#counts.values()].some((counts) => (counts[ROOF_COLOURS.length - 1] ?? 0) > 0);
    return others ? ROOF_COLOURS : ROOF_COLOURS.slice(0, -1);
  }

  add({ values }: FlatRecord): void {
    const age = values.get('summary.roof.estAge')?.leaf;
    const condition = values.get('summary.roof.overallCondition')?.leaf;
    if (typeof age !== 'string' || typeof condition !== 'string') return;
    const place = ROOF_COLOURS.findIndex(({ name }) => name.toLowerCase() === condition.toLowerCase());
    const counts = this.#counts.get(age) ?? ROOF_COLOURS.map(() => 0);
    const at = place === -1 ? ROOF_COLOURS.length - 1 : place;
    counts[at] = (counts[at] ?? 0) + 1;
    this.#counts.set(age, counts);
  }

  get rows(): readonly { readonly name: string; readonly counts: readonly number[] }[] {
    return [...this.#counts].map(([name, counts]) => ({ name, counts })).toSorted((a, b) => firstNumber(a.name) - firstNumber(b.name));
  }
}

/** `less than 1 year` before `1 ~ 5 years` before `5 - 10 years`. */
function firstNumber(text: string): number {
  const number = Number(/\d+/.exec(text)?.[0] ?? Number.POSITIVE_INFINITY);
  return /^less/i.test(text) ? number - 0.5 : number;
}

/** In pixels; the page scales it to the room there is. */
const WIDTH = 400;
const BAR_HEIGHT = 30;
const LINE_HEIGHT = 15;
const FRAME = 16;

/** Text and lines take the colour of the page around them, light or dark. */
const INK = 'currentColor';

export interface ChartFigure {
  readonly title: string;
  readonly svg: string;
  /** What the bars do not say by themselves. */
  readonly note?: string;
}

/** A bar and its label; one without a colour has that of its chart. */
export interface Bar extends Counted {
  readonly colour?: string;
}

/** Draws charts ahead of time, as SVG. ECharts is loaded when the first is drawn: that takes a moment. */
async function chartPainter(): Promise<ChartPainter> {
  const [core, charts, components, renderers] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ]);
  core.use([charts.BarChart, components.GridComponent, components.LegendComponent, renderers.SVGRenderer]);
  const draw = (option: EChartsOption, height: number): string => {
    const chart = core.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
    chart.setOption({ animation: false, textStyle: { fontFamily: 'inherit', color: INK }, ...option });
    const svg = chart.renderToSVGString();
    chart.dispose();
    return svg;
  };
  return { bars: (title, counts, colour) => bars(title, counts.slice(0, BARS_MAX).map(named), colour, draw), stacked: (title, rows, segments) => stacked(title, rows.slice(0, BARS_MAX).map(named), segments.map(named), draw) };
}

export interface ChartPainter {
  /** A bar for each name, the first on top. */
  bars(title: string, counts: readonly Bar[], colour: string): ChartFigure;
  /** A bar for each row, made of segments; `counts` go by the segments' order. */
  stacked(title: string, rows: readonly { readonly name: string; readonly counts: readonly number[] }[], segments: readonly { readonly name: string; readonly colour: string }[]): ChartFigure;
}

/** More than these nobody reads; the workbook has them all. */
const BARS_MAX = 40;
const NAME_LENGTH_MAX = 120;

/** As it may stand beside a bar. */
function named<Named extends { readonly name: string }>(one: Named): Named {
  const name = visible(one.name);
  return { ...one, name: name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}…` : name };
}

/** In pixels. Text cannot be measured ahead of time: every letter counts as a wide one, so that no name is cut off. */
const LETTER_WIDTH = 7.6;
const NAME_WIDTH_MAX = 170;

function roomFor(rows: readonly { readonly name: string }[]): number {
  return 14 + Math.min(NAME_WIDTH_MAX, longestName(rows));
}

/** As high as the name with the most lines: a long one is broken, never cut. */
function barHeight(rows: readonly { readonly name: string }[]): number {
  const lines = Math.ceil(longestName(rows) / NAME_WIDTH_MAX);
  return Math.max(BAR_HEIGHT, lines * LINE_HEIGHT + 4);
}

function longestName(rows: readonly { readonly name: string }[]): number {
  return Math.max(...rows.map(({ name }) => name.length)) * LETTER_WIDTH;
}

type Draw = (option: EChartsOption, height: number) => string;

const VALUE_AXIS = { type: 'value', minInterval: 1, axisLabel: { show: false }, splitLine: { show: false } } as const;

function nameAxis(names: readonly string[]): NonNullable<EChartsOption['yAxis']> {
  return {
    type: 'category',
    data: [...names],
    inverse: true,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: INK, opacity: 0.4 } },
    axisLabel: { color: INK, width: NAME_WIDTH_MAX, overflow: 'break', lineHeight: LINE_HEIGHT, fontSize: 13 },
  };
}

function bars(title: string, counts: readonly Bar[], colour: string, draw: Draw): ChartFigure {
  const option: EChartsOption = {
    grid: { left: roomFor(counts), right: 50, top: 6, bottom: 6 },
    xAxis: VALUE_AXIS,
    yAxis: nameAxis(counts.map(({ name }) => name)),
    series: [{ type: 'bar', data: counts.map((bar) => ({ value: bar.count, itemStyle: { color: bar.colour ?? colour } })), itemStyle: { borderRadius: [0, 3, 3, 0] }, barWidth: '62%', label: { show: true, position: 'right', color: INK, fontSize: 13 } }],
  };
  const told = counts.map(({ name, count }) => `${name}: ${count}`).join('; ');
  return { title, svg: labelled(draw(option, FRAME + barHeight(counts) * counts.length), `${title}. ${told}`) };
}

function stacked(
  title: string,
  rows: readonly { readonly name: string; readonly counts: readonly number[] }[],
  segments: readonly { readonly name: string; readonly colour: string }[],
  draw: Draw,
): ChartFigure {
  const longest = Math.max(...rows.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0)));
  const unit = (WIDTH - roomFor(rows) - 30) / longest;
  const option: EChartsOption = {
    grid: { left: roomFor(rows), right: 30, top: 60, bottom: 6 },
    legend: { top: 0, left: 0, textStyle: { color: INK, fontSize: 13 }, itemWidth: 14, itemGap: 18 },
    xAxis: VALUE_AXIS,
    yAxis: nameAxis(rows.map(({ name }) => name)),
    series: segments.map(({ name, colour }, index) => ({ type: 'bar', stack: 'all', name, data: rows.map(({ counts }) => counts[index] ?? 0), itemStyle: { color: colour }, barWidth: '62%', label: { show: true, color: '#fff', textBorderColor: '#000', textBorderWidth: 2, fontSize: 12, formatter: ({ value }) => fitting(Number(value), unit) } })),
  };
  const told = rows.map(({ name, counts }) => `${name}: ${segments.map((segment, index) => `${counts[index] ?? 0} ${segment.name}`).join(', ')}`).join('; ');
  return { title, svg: labelled(draw(option, FRAME + 56 + barHeight(rows) * rows.length), `${title}. ${told}`) };
}

/** The count of a part that is wide enough to hold it; the chart's words tell all of them. */
function fitting(count: number, unit: number): string {
  const text = String(count);
  return count * unit > text.length * LETTER_WIDTH ? text : '';
}

/**
 * What it shows, in words, for those who do not see it; the size is the page's matter. The page's policy lets no style through but its own: the
 * letters' size becomes an attribute, and what is drawn for a mouse goes. In a text of the drawing no quote and no bracket stands as it is.
 */
function labelled(svg: string, label: string): string {
  return svg
    .replace(/^<svg width="\d+" height="\d+"/, () => `<svg role="img" aria-label="${html(label)}"`)
    .replaceAll(/ style="font-size:(\d+)px;font-family:inherit;"/g, (_, size: string) => ` font-size="${size}"`)
    .replaceAll(/<style[^>]*>[^<]*<!\[CDATA\[[^<]*\]\]>\s*<\/style>/g, '');
}
