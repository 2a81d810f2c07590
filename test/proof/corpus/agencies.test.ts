import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityOf } from '../../../src/domain/identity.ts';
import type { KnownLayout, LayoutQuestion } from '../../../src/domain/layout.ts';
import type { RowOutcome } from '../../../src/domain/row.ts';
import { ORDER_FIELDS } from '../../../src/intake/fields.ts';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { UnreadableFileError } from '../../../src/intake/readers/row-source.ts';

/** A phone without an area code, and `jsmith@mailbox`: ordered with a warning, as the reference says. */
const ALLOWED_HARM = ['61_missing.xlsx 6', '61_missing.xlsx 7'];

/** Sheets of agencies, carriers and their systems, by an author who had not read the code, with the truth of each row. */
const FOLDER = join(import.meta.dirname, '../../corpus/agencies');
const TODAY = '2026-11-26';

type Values = Readonly<Record<string, unknown>>;
type Outcome = 'order' | 'skip' | 'back' | 'ask' | 'either';

interface Truth {
  /** By header, the field that a person gives it. */
  readonly columns: Readonly<Record<string, string | readonly string[] | null>>;
  /** Fields that may be left out. */
  readonly soft: readonly string[];
  readonly rows: readonly {
    readonly at: string;
    readonly outcome: Outcome;
    readonly allow?: readonly Outcome[];
    readonly project?: Values;
    /** Other values that are right too. */
    readonly alt?: Readonly<Record<string, readonly unknown[] | string>>;
  }[];
}

const truths = JSON.parse(await readFile(join(FOLDER, 'truths.json'), 'utf8')) as Readonly<Record<string, Truth>>;

const RIGHT_AT_FIRST_MIN = 0.9;
const RIGHT_WHEN_ANSWERED_MIN = 0.95;

/** `right` includes a row that goes back, if asking is fair. */
type Verdict = 'right' | 'lost' | 'needless' | 'harm';

async function verdictsOf(file: string, truth: Truth) {
  const first = await readTruth(file, []);
  const answered =
    first.questions.length === 0
      ? first
      : await readTruth(
          file,
          first.questions.map((one) => answer(one, truth)),
        );
  const judge = ({ rows }: typeof first) =>
    truth.rows.map((row) => ({ at: `${file} ${row.at}`, verdict: verdict(rows, row, truth) }));
  return {
    first: judge(first),
    answered: judge(answered),
    isAskedAgain: answered !== first && answered.questions.length > 0,
  };
}

async function readTruth(file: string, knownLayouts: readonly KnownLayout[]) {
  const rows = new Map<string, RowOutcome>();
  const identities = new Set<string>();
  try {
    await using reading = await readOrderFile(join(FOLDER, file), file, { headers: {}, today: TODAY, knownLayouts });
    for await (const outcome of reading.rows()) {
      if (outcome.kind === 'order') {
        const identity = identityOf(outcome.payload);
        // The ledger finds repeats.
        if (identities.has(identity)) continue;
        identities.add(identity);
      }
      const { sheet, rowNumber } = outcome.record.place;
      rows.set(`${sheet} ${rowNumber}`, outcome);
      if (!rows.has(String(rowNumber))) rows.set(String(rowNumber), outcome);
    }
    return { rows, questions: reading.questions };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFileError)) throw thrown;
    return { rows, questions: [] };
  }
}

function answer({ keys, known, columns }: LayoutQuestion, truth: Truth): KnownLayout {
  const said = columns.map(({ key, header }) => {
    const [field] = [truth.columns[header]].flat();
    return [key, ORDER_FIELDS.some(({ name }) => name === field) ? (field ?? null) : null] as const;
  });
  return { by: 'confirmed', keys, columns: { ...known, ...Object.fromEntries(said) }, words: [] };
}

function verdict(rows: ReadonlyMap<string, RowOutcome>, row: Truth['rows'][number], { soft }: Truth): Verdict {
  const outcome = rows.get(row.at);
  const may = [row.outcome, ...(row.allow ?? [])];
  if (outcome?.kind !== 'order')
    return row.outcome === 'skip' || may.some((one) => one !== 'order' && one !== 'skip') ? 'right' : 'needless';
  if (!may.includes('order') && row.outcome !== 'either') return 'harm';
  const { project = {}, alt = {} } = row;
  const payload: Values = { ...outcome.payload };
  const wrong = [...new Set([...Object.keys(payload), ...Object.keys(project)])].filter((field) => {
    const [sent, wanted, others] = [plain(field, payload[field]), plain(field, project[field]), alt[field]];
    const isOther = typeof others === 'object' && others.some((other) => plain(field, other) === sent);
    const isOptional = sent === '' && (soft.includes(field) || (field === 'isRenewal' && wanted === 'false'));
    const isMore = field === 'note' && wanted !== '' && sent.includes(wanted);
    return sent !== wanted && field !== 'country' && !isOther && !isOptional && !isMore;
  });
  if (wrong.length === 0) return 'right';
  return wrong.every((field) => payload[field] === undefined) ? 'lost' : 'harm';
}

function plain(field: string, value: unknown): string {
  const values = Array.isArray(value) ? value : [value ?? ''];
  const text = values.map(String).toSorted().join(' ');
  if (/phone$/i.test(field)) return text.replaceAll(/\D/g, '').replace(/^1(?=\d{10})/, '');
  if (field === 'zipcode') return text.slice(0, 5);
  return text
    .replaceAll(/[\s,]+/g, ' ')
    .trim()
    .toLowerCase();
}

const all = await Promise.all(Object.entries(truths).map(async ([file, truth]) => verdictsOf(file, truth)));
const first = all.flatMap((one) => one.first);
const answered = all.flatMap((one) => one.answered);

function shareRight(verdicts: typeof first) {
  return verdicts.filter((one) => one.verdict === 'right').length / verdicts.length;
}

describe('readOrderFile', () => {
  test('has the truth of every file', async () => {
    const files = (await readdir(FOLDER)).filter((name) => name !== 'truths.json');
    expect(Object.keys(truths).toSorted()).toEqual(files.toSorted());
  });

  test.each([
    ['at the first try', first],
    ['after the answers', answered],
  ])('orders no wrong row or value %s', (_, verdicts) => {
    expect(verdicts.flatMap(({ at, verdict: is }) => (is === 'harm' ? at : []))).toEqual(ALLOWED_HARM);
  });

  test('reads most rows right at the first try', () => {
    expect(shareRight(first)).toBeGreaterThanOrEqual(RIGHT_AT_FIRST_MIN);
  });

  test('reads nearly all rows right after the answers', () => {
    expect(shareRight(answered)).toBeGreaterThanOrEqual(RIGHT_WHEN_ANSWERED_MIN);
  });

  test('asks about no layout twice', () => {
    expect(all.filter(({ isAskedAgain }) => isAskedAgain)).toEqual([]);
  });
});
