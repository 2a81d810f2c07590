import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CountedFile, OrderState } from '../ledger/ledger.ts';
import { ordersInState } from '../ledger/orders.ts';
import { filesBelow, sha256OfFile } from '../ops/durable-files.ts';
import { type FileProblem, fileProblem } from '../ops/stored-files.ts';
import { pathIn } from '../submit/claimed-files.ts';
import {
  type CensusContext,
  type CensusLine,
  type CensusLineMaker,
  compareWithService,
  censusLineFor,
  type CensusMark,
} from './compare-with-service.ts';

/** Changes nothing. Throws ServiceUnavailable. */
export async function* takeCensus(context: CensusContext): AsyncIterable<CensusLine> {
  yield* compareWithService(context);
  yield* countLedger(context);
  yield* countFiles(context);
  yield* countCorrections(context);
  yield* countArtifacts(context);
  yield* countDeliveries(context);
}

const WITHOUT_PROJECT = {
  ready: '=',
  submitting: '!',
  unresolved: '!',
  held: '!',
  skipped: '=',
  refused: '=',
  abandoned: '=',
} as const satisfies Record<Exclude<OrderState, 'created' | 'linked'>, CensusMark>;

async function* countLedger({ ledger }: CensusContext): AsyncIterable<CensusLine> {
  for (const [state, mark] of Object.entries(WITHOUT_PROJECT) as [keyof typeof WITHOUT_PROJECT, CensusMark][]) {
    for await (const { id, projectId } of ordersInState(state, ledger)) {
      if (projectId !== null) continue;
      const line = censusLineFor('order', id)(mark, `order-${state}`, { id });
      yield state === 'held' ? { ...line, isForPerson: true } : line;
    }
  }
  for (const { projectId, request } of await ledger.openUpdates())
    yield censusLineFor('update', projectId)('!', 'outcome-unknown', { kind: request.kind });
  for (const { about, id, what } of await ledger.contradictions())
    yield censusLineFor(about, id)('*', 'ledger-contradicts-itself', { what });
}

async function* countFiles(context: CensusContext): AsyncIterable<CensusLine> {
  const known = new Set<string>();
  const paths = new Set<string>();
  for await (const counted of context.ledger.countedFiles()) {
    const { hash, name, archivedAs } = counted.file;
    known.add(hash);
    if (archivedAs !== null) paths.add(archivedAs);
    const line = censusLineFor('file', name);
    const wrong = [rowsProblem(counted, line), await originalProblem(counted, line, context)];
    yield* wrong.filter((problem) => problem !== null);
    if (wrong.every((problem) => problem === null))
      yield line('=', 'file-agrees', { rows: formatRows(counted), archivedAs: archivedAs ?? '' });
  }
  yield* countUnknownFiles(context, paths, known);
}

function rowsProblem(counted: CountedFile, line: CensusLineMaker) {
  const { file, orders, repeats, rejections, notWrittenBack } = counted;
  const { rowsAccepted: accepted, rowsRejected: rejected } = file;
  if (accepted !== orders + repeats || rejected !== rejections)
    return line('*', 'rows-miscounted', { accepted, rejected, rows: formatRows(counted) });
  return notWrittenBack === 0 ? null : line('!', 'corrections-unwritten', { notWrittenBack });
}

function formatRows({ orders, repeats, rejections }: CountedFile) {
  return `${orders + repeats + rejections} = ${orders} ordered + ${repeats} repeated + ${rejections} rejected`;
}

async function originalProblem({ file }: CountedFile, line: CensusLineMaker, context: CensusContext) {
  if (file.archivedAs === null) return line('!', 'not-archived');
  if (await context.ledger.wasRemoved(file.archivedAs)) return null;
  return problemOfFile(file.archivedAs, { sha256: file.hash }, line, context);
}

const MARKS: Readonly<Record<FileProblem['kind'], CensusMark>> = { missing: '-', different: '*', unreadable: '!' };

async function problemOfFile(
  shown: string,
  expected: Readonly<{ bytes?: number; sha256: string }>,
  line: CensusLineMaker,
  { root }: CensusContext,
) {
  const problem = await fileProblem(join(root, shown), expected);
  return problem && line(MARKS[problem.kind], `file-${problem.kind}`, { shown, words: problem.words });
}

/** A repeated file is archived next to the first, so only content counts. */
async function* countUnknownFiles(
  { archive, root, ledger }: CensusContext,
  paths: ReadonlySet<string>,
  known: ReadonlySet<string>,
) {
  for (const path of await filesBelow(archive).catch(() => [])) {
    const shown = pathIn({ root }, path);
    if (paths.has(shown)) continue;
    const hash = await sha256OfFile(path).catch(() => '');
    if (known.has(hash) || (await ledger.isFileOfAnyAccount(hash))) continue;
    yield censusLineFor('file', shown)('+', 'file-not-on-record');
  }
}

async function* countArtifacts(context: CensusContext): AsyncIterable<CensusLine> {
  const good = new Map<string, number>();
  for await (const { projectId, path, bytes, sha256 } of context.ledger.storedArtifacts()) {
    const problem = await problemOfFile(path, { bytes, sha256 }, censusLineFor('artifact', projectId), context);
    if (problem === null) good.set(projectId, (good.get(projectId) ?? 0) + 1);
    else yield problem;
  }
  for (const [projectId, count] of good)
    yield censusLineFor('artifact', projectId)('=', 'file-agrees/stored', { count });
}

async function* countDeliveries({ ledger, root }: CensusContext) {
  for (const { run, contents } of await ledger.deliveriesOnRecord()) {
    const wrong: Record<string, string[]> = { missing: [], empty: [], 'cut off': [] };
    for (const path of Object.values(contents)) {
      if (path !== null) wrong[await stateOfFile(join(root, path))]?.push(path);
    }
    const line = censusLineFor('delivery', run);
    const differing = Object.entries(wrong).filter(([, paths]) => paths.length > 0);
    for (const [what, missing] of differing) {
      const parts = { what, paths: missing.join(', ') };
      yield what === 'missing'
        ? line('-', 'file-missing/delivery', parts)
        : line('*', 'file-different/delivery', parts);
    }
    if (differing.length === 0) yield line('=', 'file-agrees/delivery');
  }
}

/** People may save our files: they only have to exist, and a ZIP must have its end. */
async function stateOfFile(path: string) {
  const found = await stat(path).catch(() => null);
  if (found === null) return 'missing';
  if (!found.isFile()) return 'there';
  if (found.size === 0) return 'empty';
  return !path.endsWith('.zip') || (await endsAsZip(path, found.size)) ? 'there' : 'cut off';
}

const ZIP_END_MAX = 22 + 65_535;

async function endsAsZip(path: string, size: number) {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(Math.min(size, ZIP_END_MAX)),
    position: Math.max(0, size - ZIP_END_MAX),
  });
  return buffer.subarray(0, bytesRead).includes('PK\x05\x06');
}

/** People may take a workbook away for some days to fix it. */
const AWAY_MS_MAX = 7 * 24 * 60 * 60 * 1000;

async function* countCorrections({ ledger, root, clock }: CensusContext) {
  for (const { file, rows, corrections: workbook, since } of await ledger.waitingRows()) {
    if (workbook === null || (await ledger.wasRemoved(workbook))) continue;
    const found = await stateOfFile(join(root, workbook));
    if (found === 'there' || (found === 'missing' && clock.now() - since < AWAY_MS_MAX)) continue;
    const open = rows === 1 ? '1 row of it is' : `${rows} rows of it are`;
    yield censusLineFor('file', file)('-', 'file-missing/workbook', { workbook, found, open });
  }
}
