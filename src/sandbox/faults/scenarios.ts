import type { FaultRule } from './faults.ts';

/** Times count from its start. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly summary: string;
  readonly rules: readonly FaultRule[];
}

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

const CREATE = { method: 'POST', route: '/v1/project' } as const;
const SEARCH = { method: 'GET', route: '/v1/project' } as const;
const TOKEN = { method: 'POST', route: '/v1/oauth/token' } as const;
const REPORT_LINK = { method: 'GET', route: '/v1/report/{reportId}/file' } as const;
const REPORT_FILE = { method: 'GET', route: '/files/report/*' } as const;
const ANY_FILE = { method: 'GET', route: '/files/*' } as const;
const SUMMARY = { method: 'GET', route: '/v1/report/{reportId}/summary' } as const;

const RULES: Record<ScenarioName, { readonly summary: string; readonly rules: readonly FaultRule[] }> = {
  calm: { summary: 'nothing goes wrong', rules: [] },
  'stormy-night': {
    summary: 'a bit of everything for two hours, with an outage of two minutes after five',
    rules: [
      { kind: '503', fromSeconds: 300, untilSeconds: 420, retryAfter: 30 },
      { kind: 'commit-then-504', match: CREATE, probability: 0.04, untilSeconds: 7200 },
      { kind: 'commit-then-reset', match: CREATE, probability: 0.02, untilSeconds: 7200 },
      { kind: '504', match: CREATE, probability: 0.02, untilSeconds: 7200 },
      { kind: 'search-lag', lagSeconds: 20, untilSeconds: 7200 },
      { kind: 'duplicate-lag', lagSeconds: 5, untilSeconds: 7200 },
      { kind: 'lost-refresh', times: 2, untilSeconds: 7200 },
      { kind: 'malformed-json', match: SUMMARY, probability: 0.03, untilSeconds: 7200 },
      { kind: 'truncated', match: ANY_FILE, probability: 0.04, untilSeconds: 7200 },
      { kind: 'expired-url', match: ANY_FILE, probability: 0.03, untilSeconds: 7200 },
      { kind: 'cut-file', match: REPORT_FILE, probability: 0.03, untilSeconds: 7200 },
      { kind: 'html', match: SEARCH, probability: 0.02, untilSeconds: 7200 },
      { kind: '429', probability: 0.02, retryAfter: 2, untilSeconds: 7200 },
      { kind: '500', probability: 0.02, untilSeconds: 7200 },
      { kind: 'latency', probability: 0.1, ms: 400, untilSeconds: 7200 },
    ],
  },
  'slow-morning': {
    summary: 'slow answers and files that trickle in, for an hour',
    rules: [
      { kind: 'slow', match: ANY_FILE, ms: 2000, untilSeconds: 3600 },
      { kind: 'latency', probability: 0.05, ms: 5000, untilSeconds: 3600 },
      { kind: 'latency', ms: 300, untilSeconds: 3600 },
    ],
  },
  outage: {
    summary: 'the service is away for ten minutes: 503 with Retry-After, 502 pages of a proxy, connections cut',
    rules: [
      { kind: '502', probability: 0.2, untilSeconds: 600 },
      { kind: 'reset', probability: 0.1, untilSeconds: 600 },
      { kind: '503', retryAfter: 60, untilSeconds: 600 },
    ],
  },
  quota: {
    summary:
      'a hundred requests a minute for each user, with Retry-After; tokens are limited as well, without Retry-After',
    rules: [
      { kind: '429', match: TOKEN, probability: 0.2, times: 5 },
      { kind: 'quota', limit: 100, perSeconds: 60 },
    ],
  },
  'broken-reports': {
    summary:
      'most files come broken at first: cut off, corrupt, of another kind, as a web page, behind an expired link; whole after forty faults',
    rules: [
      { kind: 'cut-file', match: REPORT_FILE, probability: 0.3, times: 10 },
      { kind: 'corrupt-file', match: REPORT_FILE, probability: 0.2, times: 5 },
      { kind: 'wrong-file', match: ANY_FILE, probability: 0.2, times: 5 },
      { kind: 'html-file', match: ANY_FILE, probability: 0.2, times: 5 },
      { kind: 'truncated', match: ANY_FILE, probability: 0.2, times: 5 },
      { kind: 'expired-url', match: ANY_FILE, probability: 0.2, times: 5 },
      { kind: 'malformed-json', match: SUMMARY, probability: 0.2, times: 5 },
    ],
  },
  'laggy-search': {
    summary:
      'searches show a new project after two minutes, the duplicate check knows it after one; some creates seem to have failed',
    rules: [
      { kind: 'search-lag', lagSeconds: 120 },
      { kind: 'duplicate-lag', lagSeconds: 60 },
      { kind: 'commit-then-504', match: CREATE, probability: 0.1, untilSeconds: 3600 },
    ],
  },
  'lost-answers': {
    summary:
      'for an hour a third of the creates succeed but their answers are lost, and refresh tokens are spent without effect',
    rules: [
      { kind: 'commit-then-504', match: CREATE, probability: 0.12, untilSeconds: 3600 },
      { kind: 'commit-then-reset', match: CREATE, probability: 0.12, untilSeconds: 3600 },
      { kind: 'truncated', match: CREATE, probability: 0.06, untilSeconds: 3600 },
      { kind: 'commit-then-html', match: CREATE, probability: 0.06, untilSeconds: 3600 },
      { kind: 'lost-refresh', times: 3, untilSeconds: 3600 },
    ],
  },
  astray: {
    summary: 'redirects in circles or to another host; the audit shows an Authorization header that arrives there',
    rules: [
      { kind: 'redirect-loop', match: REPORT_LINK, probability: 0.3, times: 20 },
      { kind: 'redirect-elsewhere', match: SUMMARY, probability: 0.3, times: 10 },
      { kind: 'detour', match: REPORT_LINK },
    ],
  },
};

export const SCENARIOS: readonly Scenario[] = SCENARIO_NAMES.map((name) => ({ name, ...RULES[name] }));

/** Undefined if unknown. */
export function scenarioOf(name: string): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.name === name);
}

export function scenariosText(): string {
  return SCENARIOS.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`).join('\n');
}
