import { localDay } from '../domain/day.ts';
import { fieldForAll } from '../domain/layout.ts';
import { fieldNamed } from '../intake/fields.ts';
import { QUESTION } from '../intake/own-workbooks.ts';
import type { LayoutRecord } from '../ledger/ledger.ts';
import { workspaceAt } from '../ops/workspace.ts';
import { success, inIsoTimes, tableOf } from './terminal.ts';
import { ledgerToAnswer } from './confirm-command.ts';
import { sentence } from '../domain/sentences.ts';
import { usageErrorOf } from '../domain/errors.ts';

export async function layoutsCommand(named: string | undefined, forgets: boolean, workspaceDir: string) {
  await using ledger = await ledgerToAnswer(workspaceAt(workspaceDir));
  const layouts = (await ledger.layoutsOnRecord()).filter(
    ({ question, answeredAt }) => question !== null || answeredAt !== null,
  );
  if (named === undefined) {
    if (forgets) throw usageErrorOf('layout-missing');
    const text =
      layouts.length === 0
        ? sentence('layouts/none')
        : tableOf(layouts, {
            Layout: 'id',
            Sender: 'sender',
            File: 'file',
            Columns: (one) => Object.keys(one.columns).length,
            Words: (one) => one.words.length,
            State: stateOf,
          });
    return success(text, { layouts: layouts.map(layoutJson) });
  }
  const layout = layouts.find(({ id }) => String(id) === named);
  if (layout === undefined) throw usageErrorOf('layout-unknown', { named });
  if (!forgets) return success(shown(layout), { layouts: [layoutJson(layout)] });
  await ledger.forgetLayout(layout.id);
  return success(sentence('layouts/forgotten', { named }), { forgotten: layout.id });
}

function stateOf({ question, answeredAt, answeredBy, askedAt }: LayoutRecord) {
  if (question !== null) return `asked ${localDay(askedAt)}`;
  return answeredAt === null ? '' : `confirmed ${localDay(answeredAt)} by ${answeredBy ?? ''}`;
}

function titleOf(field: string | null) {
  return field === null ? QUESTION.notSent : (fieldNamed(field)?.title ?? field);
}

function describeAnswer(key: string, said: string | null, column = key) {
  const ofAll = fieldForAll(key);
  return ofAll === undefined
    ? `${column} → ${titleOf(said)}`
    : `${titleOf(ofAll)} of all rows → ${said ?? '(differs)'}`;
}

function shown(layout: LayoutRecord) {
  return [
    `Layout ${layout.id} (${layout.file}, ${layout.sheet}): ${stateOf(layout)}`,
    ...Object.entries(layout.columns).map(([key, field]) => `  ${describeAnswer(key, field)}`),
    ...layout.words.map(
      ({ field, word, value, by = layout.answeredBy }) => `  ${titleOf(field)} "${word}" → ${value} (${by})`,
    ),
    ...(layout.question === null
      ? []
      : [
          `Asked in ${layout.workbook ?? 'no workbook'}:`,
          ...layout.question.columns.map(
            ({ key, header, proposal, why }) => `  ${describeAnswer(key, proposal, `"${header}"`)}? ${why}`,
          ),
        ]),
  ].join('\n');
}

function layoutJson({ id, layout, askedAt, answeredAt, ...rest }: LayoutRecord) {
  return inIsoTimes({ layout: id, name: layout, ...rest, askedAt, answeredAt });
}
