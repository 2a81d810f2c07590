import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { askByKeys } from '../../../src/cli/confirm-keys.ts';
import type { AskedColumn, LayoutQuestion } from '../../../src/domain/layout.ts';

const column = (key: string, proposal: string | null): AskedColumn => ({
  key,
  letter: 'B',
  header: 'Contract',
  samples: ['P-10001'],
  proposal,
  code: 'header-unknown',
  why: 'The values look like it.',
  holds: true,
});

const question = (...columns: readonly AskedColumn[]): LayoutQuestion => ({
  layout: 'l',
  sheet: 'Orders',
  keys: [],
  columns,
  known: {},
});

/** Types each line when it is asked for one. */
async function typed(asked: LayoutQuestion, lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...lines];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += String(chunk);
    if (!shown.endsWith(': ')) return;
    shown = '';
    const line = left.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  return askByKeys(asked, input, output);
}

describe('askByKeys', () => {
  test('takes the proposal at Enter', async () => {
    expect(await typed(question(column('contract', 'policyNumber')), [''])).toEqual({ contract: 'policyNumber' });
  });

  test('takes a field by its number, or the start of its title', async () => {
    const asked = question(column('a', null), column('b', null));
    expect(await typed(asked, ['1', 'policy num'])).toEqual({ a: 'inspectionNumber', b: 'policyNumber' });
  });

  test('asks again for a title that several fields have', async () => {
    expect(await typed(question(column('a', 'city')), ['policy', 'state'])).toEqual({ a: 'state' });
  });

  test('takes a value for all rows, or none', async () => {
    const ofAll = { ...column('=serviceName=', null), letter: '', header: 'Service' };
    expect(await typed(question(ofAll), ['ext'])).toEqual({ '=serviceName=': 'Exterior' });
    expect(await typed(question(ofAll), [''])).toEqual({ '=serviceName=': null });
    expect(await typed(question({ ...ofAll, proposal: '4-Point' }), [''])).toEqual({ '=serviceName=': '4-Point' });
  });

  test('is null if the terminal is closed', async () => {
    expect(await typed(question(column('a', 'city'), column('b', 'state')), [''])).toBeNull();
  });

  test('shows the column, its values and the reason', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end('\n');
    await askByKeys(question(column('a', 'city')), input, output);
    output.end();
    expect(await text(output)).toContain('Orders, column B "Contract" (P-10001)\n  The values look like it.\n');
  });
});
