import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CountedFile } from '../ledger/census.ts';
import { ordersInState, type OrderRecord, type OrderState } from '../ledger/orders.ts';
import { filesBelow, sha256OfFile } from '../ops/durable-files.ts';
import { type FileProblem, fileProblem } from '../ops/stored-files.ts';
import { pathIn } from '../submit/claimed-files.ts';
import {
  type CensusContext,
  type CensusLine,
  compareWithService,
  censusLineFor,
  type CensusMark,
} from './compare-with-service.ts';
import { sentence } from '../domain/sentences.ts';

/** Changes nothing. Throws ServiceUnavailable. */
export async function* takeCensus(context: CensusContext): AsyncIterable<CensusLine> {
  yield* compareWithService(context);
  yield* countLedger(context);
  yield* countFiles(context);
  yield* countCorrections(context);
  yield* countArtifacts(context);
  yield* countDeliveries(context);
}

type UntiedState = Exclude<OrderState, 'created' | 'linked'>;

const UNKNOWN = {
  mark: '!',
  detail: sentence('census/unresolved'),
} as const;

const STANDINGS: Readonly<Record<UntiedState, (order: OrderRecord) => Omit<CensusLine, 'about' | 'id' | 'code'>>> = {
  ready: () => ({ mark: '=', detail: 'it was not sent yet; the next run sends it' }),
  submitting: () => UNKNOWN,
  unresolved: () => UNKNOWN,
  held: ({ id }) => ({
    mark: '!',
    isForPerson: true,
    detail: sentence('census/held', { id }),
  }),
  skipped: () => ({ mark: '=', detail: 'a repeat; it has no separate project' }),
  refused: () => ({ mark: '=', detail: 'the service refused it; it has no project' }),
  abandoned: () => ({ mark: '=', detail: 'abandoned; it has no project' }),
};

async function* countLedger({ ledger }: CensusContext): AsyncIterable<CensusLine> {
  for (const state of Object.keys(STANDINGS) as UntiedState[]) {
    for await (const order of ordersInState(state, ledger)) {
      if (order.projectId === null)
        yield { about: 'order', id: String(order.id), code: `order-${state}`, ...STANDINGS[state](order) };
    }
  }
  for (const { projectId, request } of await ledger.openUpdates()) {
    const detail = sentence('census/update-open', { kind: request.kind });
    yield censusLineFor('update', projectId)('!', 'outcome-unknown', detail);
  }
  for (const { about, id, what } of await ledger.contradictions())
    yield censusLineFor(about, id)('*', 'ledger-contradicts-itself', what);
}

async function* countFiles(context: CensusContext): AsyncIterable<CensusLine> {
  const known = new Set<string>();
  const paths = new Set<string>();
  for await (const counted of context.ledger.countedFiles()) {
    const { hash, name, archivedAs } = counted.file;
    known.add(hash);
    if (archivedAs !== null) paths.add(archivedAs);
    const wrong = [rowsProblem(counted), await originalProblem(counted, context)].filter((problem) => problem !== null);
    for (const each of wrong) yield { about: 'file', id: name, ...each };
    if (wrong.length === 0)
      yield censusLineFor('file', name)(
        '=',
        'file-agrees',
        `rows: ${formatRows(counted)}; archived as ${archivedAs ?? ''}`,
      );
  }
  yield* countUnknownFiles(context, paths, known);
}

type Found = Pick<CensusLine, 'mark' | 'code' | 'detail'>;

function rowsProblem(counted: CountedFile): Found | null {
  const { file, orders, repeats, rejections, notWrittenBack } = counted;
  if (file.rowsAccepted !== orders + repeats || file.rowsRejected !== rejections)
    return {
      mark: '*',
      code: 'rows-miscounted',
      detail: sentence('census/miscounted', {
        accepted: file.rowsAccepted,
        rejected: file.rowsRejected,
        rows: formatRows(counted),
      }),
    };
  return notWrittenBack === 0
    ? null
    : {
        mark: '!',
        code: 'corrections-unwritten',
        detail: sentence('census/not-written', { notWrittenBack }),
      };
}

function formatRows({ orders, repeats, rejections }: CountedFile) {
  return `${orders + repeats + rejections} = ${orders} ordered + ${repeats} repeated + ${rejections} rejected`;
}

async function originalProblem({ file }: CountedFile, context: CensusContext): Promise<Found | null> {
  if (file.archivedAs === null)
    return { mark: '!', code: 'not-archived', detail: 'it is not archived yet; the next run archives it' };
  if (await context.ledger.wasRemoved(file.archivedAs)) return null;
  return problemOfFile(file.archivedAs, { sha256: file.hash }, context);
}

const MARKS: Readonly<Record<FileProblem['kind'], CensusMark>> = { missing: '-', different: '*', unreadable: '!' };

async function problemOfFile(
  shown: string,
  expected: Readonly<{ bytes?: number; sha256: string }>,
  { root }: CensusContext,
) {
  const problem = await fileProblem(join(root, shown), expected);
  return problem === null
    ? null
    : { mark: MARKS[problem.kind], code: `file-${problem.kind}`, detail: `${shown} ${problem.words}` };
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
    const detail = sentence('census/archived');
    yield censusLineFor('file', shown)('+', 'file-not-on-record', detail);
  }
}

async function* countArtifacts(context: CensusContext): AsyncIterable<CensusLine> {
  const good = new Map<string, number>();
  for await (const { projectId, path, bytes, sha256 } of context.ledger.storedArtifacts()) {
    const problem = await problemOfFile(path, { bytes, sha256 }, context);
    if (problem === null) good.set(projectId, (good.get(projectId) ?? 0) + 1);
    else yield { about: 'artifact', id: projectId, ...problem };
  }
  for (const [projectId, count] of good) {
    const detail = `files as recorded: ${count}`;
    yield censusLineFor('artifact', projectId)('=', 'file-agrees', detail);
  }
}

async function* countDeliveries({ ledger, root }: CensusContext) {
  for (const { run, contents } of await ledger.deliveriesOnRecord()) {
    const wrong: Record<string, string[]> = { missing: [], empty: [], 'cut off': [] };
    for (const path of Object.values(contents)) {
      if (path !== null) wrong[await stateOfFile(join(root, path))]?.push(path);
    }
    const line = censusLineFor('delivery', run);
    const differing = Object.entries(wrong).filter(([, paths]) => paths.length > 0);
    for (const [what, paths] of differing) {
      const detail = `${what}: ${paths.join(', ')}`;
      yield what === 'missing' ? line('-', 'file-missing', detail) : line('*', 'file-different', detail);
    }
    if (differing.length === 0) yield line('=', 'file-agrees', 'present');
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
    const detail = sentence('census/workbook', { workbook, found, open });
    yield censusLineFor('file', file)('-', 'file-missing', detail);
  }
}
