import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CountedFile } from '../ledger/census-book.ts';
import { sha256OfFile } from '../ops/atomic-files.ts';
import { type FileProblem, fileProblem } from '../ops/stored-files.ts';
import type { CensusLine, Mark } from './census.ts';
import type { CensusParts } from './parts.ts';

/** The ledger against what lies on disk: original files, verified downloads, deliveries; and every file's rows against each other. */
export async function* countArchive(parts: CensusParts): AsyncIterable<CensusLine> {
  yield* files(parts);
  yield* artifacts(parts);
  yield* deliveries(parts);
}

async function* files(parts: CensusParts): AsyncIterable<CensusLine> {
  const known = new Set<string>();
  const paths = new Set<string>();
  for await (const counted of parts.ledger.countedFiles()) {
    const { hash, name, archivedAs } = counted.file;
    known.add(hash);
    if (archivedAs !== null) paths.add(archivedAs);
    const wrong = [rowsProblem(counted), await originalProblem(counted, parts)].filter((problem) => problem !== null);
    for (const { mark, detail } of wrong) yield { mark, about: 'file', id: name, detail };
    if (wrong.length === 0) yield { mark: '=', about: 'file', id: name, detail: `${rowsInWords(counted)}; archived as ${archivedAs ?? ''}` };
  }
  yield* filesNotOnRecord(parts, paths, known);
}

interface Found {
  readonly mark: Mark;
  readonly detail: string;
}

function rowsProblem(counted: CountedFile): Found | null {
  const { file, orders, repeats, rejections, notWrittenBack } = counted;
  if (file.rowsAccepted !== orders + repeats || file.rowsRejected !== rejections) {
    return { mark: '*', detail: `${file.rowsAccepted} rows were accepted and ${file.rowsRejected} rejected, but on record are ${rowsInWords(counted)}` };
  }
  return notWrittenBack === 0 ? null : { mark: '!', detail: `${notWrittenBack} of its rows are in no corrections workbook yet; the next run writes it` };
}

function rowsInWords({ orders, repeats, rejections }: CountedFile): string {
  return `${orders + repeats + rejections} rows = ${orders} orders + ${repeats} repeats + ${rejections} rejections`;
}

async function originalProblem({ file }: CountedFile, parts: CensusParts): Promise<Found | null> {
  const { archivedAs, hash } = file;
  if (archivedAs === null) return { mark: '!', detail: 'it is not archived yet; the next run archives it' };
  if (await parts.ledger.wasRemoved(archivedAs)) return null;
  return foundWrong(archivedAs, { sha256: hash }, parts);
}

const MARKS: Readonly<Record<FileProblem['kind'], Mark>> = { missing: '-', different: '*', unreadable: '!' };

/** What is wrong with a file on disk; null where nothing is. */
async function foundWrong(shown: string, expected: { readonly bytes?: number; readonly sha256: string }, { root }: CensusParts): Promise<Found | null> {
  const problem = await fileProblem(join(root, shown), expected);
  return problem === null ? null : { mark: MARKS[problem.kind], detail: `${shown} ${problem.words}` };
}

/** A file that came again is archived beside the first: what counts is its content. */
async function* filesNotOnRecord({ archive, root }: CensusParts, paths: ReadonlySet<string>, known: ReadonlySet<string>): AsyncIterable<CensusLine> {
  const entries = await readdir(archive, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const path = join(entry.parentPath, entry.name);
    const shown = relative(root, path).replaceAll('\\', '/');
    if (paths.has(shown) || known.has(await sha256OfFile(path).catch(() => ''))) continue;
    yield { mark: '+', about: 'file', id: shown, detail: 'it lies in archive/, and no file on record has its content' };
  }
}

async function* artifacts(parts: CensusParts): AsyncIterable<CensusLine> {
  const good = new Map<string, number>();
  for await (const { projectId, path, bytes, sha256 } of parts.ledger.storedArtifacts()) {
    const problem = await foundWrong(path, { bytes, sha256 }, parts);
    if (problem === null) good.set(projectId, (good.get(projectId) ?? 0) + 1);
    else yield { about: 'artifact', id: projectId, ...problem };
  }
  for (const [projectId, count] of good) yield { mark: '=', about: 'artifact', id: projectId, detail: `${count} files of project ${projectId} are as recorded` };
}

async function* deliveries({ ledger, root }: CensusParts): AsyncIterable<CensusLine> {
  for (const { run, contents } of await ledger.deliveriesOnRecord()) {
    const missing: string[] = [];
    for (const path of Object.values(contents)) {
      if (path !== null && (await statOrNull(join(root, path))) === null) missing.push(path);
    }
    yield missing.length === 0
      ? { mark: '=', about: 'delivery', id: run, detail: 'it is there' }
      : { mark: '-', about: 'delivery', id: run, detail: `missing: ${missing.join(', ')}` };
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}
