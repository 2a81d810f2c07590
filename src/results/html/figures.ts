import type { ResultsInput } from '../results-input.ts';
import type { Tallies } from '../tallies.ts';
import { type ChartFigure, type ChartPainter, chartPainter } from './charts.ts';
import { CONDITIONS, type RoofAges } from './roof-ages.ts';

/** What was counted over all houses. */
export interface Counts {
  readonly tallies: Tallies;
  readonly ages: RoofAges;
}

const UNKNOWN_COLOUR = '#9aa0a8';

function conditionColour(condition: string): string {
  return CONDITIONS.find(({ name }) => name === condition)?.colour ?? UNKNOWN_COLOUR;
}

/** The charts of the page: those that have something to show. */
export async function figuresOf({ stages, outstandingByAge }: ResultsInput['overview'], { tallies, ages }: Counts): Promise<readonly ChartFigure[]> {
  const painter = await chartPainter();
  return [
    ...(stages.length === 0 ? [] : [stagesFigure(stages, painter)]),
    ...(outstandingByAge.length === 0 ? [] : [painter.bars('Outstanding projects, by age', outstandingByAge.map(({ age, count }) => ({ name: age, count })), '#8a6fb0')]),
    ...(tallies.hazards.length === 0 ? [] : [painter.bars('Houses with a hazard, by kind', tallies.hazards, '#c8692b')]),
    ...(tallies.roofConditions.length === 0 ? [] : [painter.bars('Condition of the roof', tallies.roofConditions.map((bar) => ({ ...bar, colour: conditionColour(bar.name) })), UNKNOWN_COLOUR)]),
    ...(ages.rows.length === 0 ? [] : [painter.stacked('Condition of the roof by its age, where both were assessed', ages.rows, ages.parts)]),
  ];
}

/** The last stage is told as a bar only where there is something to count: nobody should take a service that is not told for a failure. */
function stagesFigure(stages: ResultsInput['overview']['stages'], painter: ChartPainter): ChartFigure {
  const told = stages.filter(({ name, count }) => name !== 'received' || count > 0).map(({ name, count }) => ({ name: name === 'received' ? 'acknowledged to the service' : name, count }));
  const figure = painter.bars('From rows to results', told, '#3b74c4');
  if (told.length === stages.length) return figure;
  return { ...figure, note: 'Receipt is not acknowledged to the service unless collect.markReceived is switched on: the results are complete without it.' };
}
