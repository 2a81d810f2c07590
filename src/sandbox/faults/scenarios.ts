import { z } from 'zod';
import { templateData } from '../../contract/template-data.ts';
import { faultRule } from './faults.ts';

export const SCENARIO_NAMES = [
  'calm',
  'stormy-night',
  'slow-morning',
  'outage',
  'quota',
  'broken-reports',
  'laggy-search',
  'lost-answers',
  'astray',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

const scenario = z.strictObject({ name: z.enum(SCENARIO_NAMES), summary: z.string(), rules: z.array(faultRule) });

export const SCENARIOS = templateData('sandbox/scenarios', z.object({ scenarios: z.array(scenario) }))().scenarios;

export function findScenario(name: string) {
  return SCENARIOS.find((known) => known.name === name);
}

export function scenariosText() {
  return SCENARIOS.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`).join('\n');
}
