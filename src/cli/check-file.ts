import { join, parse, relative } from 'node:path';
import { format } from 'date-fns/format';
import { DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import { messageOf } from '../domain/errors.ts';
import type { Cell, Problem, Repair, RowOutcome, RowRecord, SheetLayout } from '../domain/row.ts';
import type { FileDesk, FileReading } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { KnownProjects, OrderLookup } from '../ledger/lookups.ts';
import type { Config } from '../ops/config.ts';
import { moveWithoutOverwriting, sha256OfFile } from '../ops/durable-files.ts';
import { safeFileName } from '../ops/safe-file-name.ts';
import { isSystemError } from '../ops/system.ts';
import type { TextSpool } from '../ops/text-spool.ts';
import type { Workspace } from '../ops/workspace.ts';
import { type ForecastGrounds, forecastRow, type RowForecast } from '../submit/duplicate-forecast.ts';
import { senderFolder } from '../submit/file-moves.ts';
import { compareWithEarlier, intakeSettings, layoutChangesInWords, reasonsToHold, RowCount, settingsFor } from '../submit/hold.ts';
import { KnownRows } from '../submit/known-rows.ts';
import { summaryOf, tell, type ToldRow } from '../submit/row-decision.ts';
import type { TonightsOrders } from '../submit/tonights-orders.ts';
import { type CheckedFile, type CheckedLists, UNREAD } from './check-report.ts';
import { forecastEntry } from './forecast-entry.ts';
import { RowLines } from './row-lines.ts';

export interface FileToCheck {
  readonly path: string;
  readonly name: string;
  readonly sender: string;
}

/** What the files of one check have in common. */
export interface Night {
  readonly config: Config;
  readonly workspace: Workspace;
  readonly files: FileDesk;
  readonly ledger: Ledger | null;
  readonly now: number;
  readonly tonight: TonightsOrders;
  readonly known: OrderLookup & KnownProjects;
  /** A folder for what would not fit in memory. */
  readonly scratch: string;
  /** A spool of that name in it. */
  readonly putAside: (name: string) => TextSpool;
  readonly withJson: boolean;
  /** The files checked so far, by the hash of their content. */
  readonly taken: Map<string, string>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checks one file; `number` tells it apart from the others of this check. */
export async function checkFile(file: FileToCheck, number: number, night: Night): Promise<CheckedFile> {
  const name = file.sender === '' ? file.name : `${file.sender}/${file.name}`;
  try {
    const today = format(night.now, 'yyyy-MM-dd');
    const { hold: _, ...settings } = settingsFor(intakeSettings(night.config.intake), file.sender);
    await using reading = await night.files.read(file.path, file.name, { ...settings, today });
    return await new FileCheck(file, name, number, night).run(reading);
  } catch (failure) {
    if (failure instanceof UnreadableFileError) return { ...UNREAD, name, reason: failure.message };
    if (isSystemError(failure)) return { ...UNREAD, name, reason: `It cannot be opened: ${messageOf(failure)}` };
    throw failure;
  }
}

type CheckedRow = ToldRow & Pick<RowOutcome, 'record'>;

/** The check of one file, from its first row to its corrections workbook. */
class FileCheck {
  readonly #file: FileToCheck;
  readonly #name: string;
  readonly #number: number;
  readonly #night: Night;
  readonly #rows = { read: 0, accepted: 0, rejected: 0 };
  readonly #count = new RowCount();
  readonly #lines = new RowLines();
  readonly #lists: CheckedLists | null;
  #repaired = 0;
  #rejected: TextSpool | null = null;

  constructor(file: FileToCheck, name: string, number: number, night: Night) {
    this.#file = file;
    this.#name = name;
    this.#number = number;
    this.#night = night;
    this.#lists = night.withJson ? { forecast: this.#putAside('forecast'), problems: this.#putAside('problems'), repairs: this.#putAside('repairs') } : null;
  }

  async run(reading: FileReading): Promise<CheckedFile> {
    const { config, known, tonight, now } = this.#night;
    const grounds = { file: this.#name, rules: config.submit, windowStart: now - DUPLICATE_WINDOW_DAYS * DAY_MS, known, tonight };
    const layouts = new Map(reading.layouts.map((layout) => [layout.sheet, layout]));
    const { hash, cameBefore } = await this.#recognise();
    const knownRows = this.#night.ledger === null ? null : new KnownRows(this.#night.ledger.lookup, { name: this.#name, hash }, config.submit.onDuplicate);
    for await (const outcome of reading.rows()) {
      const layout = layouts.get(outcome.record.place.sheet);
      const { row, forecast } = this.#decide(outcome, layout, grounds);
      // As a run knows it again: a row that went back, and was fixed and ordered since, is not to be fixed once more.
      this.#take(knownRows === null ? row : knownRows.recognise({ ...row, orderId: null, summary: summaryOf(outcome, layout) }), forecast);
    }
    const comparison = await compareWithEarlier(this.#file, reading.layouts, this.#night.ledger ?? NOTHING_BEFORE);
    const reasons = reasonsToHold(settingsFor(intakeSettings(config.intake), this.#file.sender).hold, this.#count, comparison);
    const held = reasons.length === 0 ? null : `A run would hold this file for a person to approve. ${reasons.map(({ sentence }) => sentence).join(' ')}`;
    return {
      name: this.#name,
      outcome: 'checked',
      rows: this.#rows,
      corrections: await this.#writeCorrections(reading, hash),
      reason: null,
      notes: [...reading.notes, cameBefore, layoutChangesInWords(comparison), held].filter((note) => note !== null),
      repaired: this.#repaired,
      lines: this.#lines,
      lists: this.#lists,
    };
  }

  #decide(outcome: RowOutcome, layout: SheetLayout | undefined, grounds: ForecastGrounds): { readonly row: CheckedRow; readonly forecast: RowForecast | null } {
    const { record } = outcome;
    if (outcome.kind === 'rejection') return { row: { record, outcome: 'rejection', problems: outcome.problems, repairs: outcome.repairs }, forecast: null };
    const forecast = forecastRow(outcome, grounds);
    return { row: { record, ...tell(outcome, forecast.decision, this.#night.known, layout) }, forecast };
  }

  #take(row: CheckedRow, forecast: RowForecast | null): void {
    const { record, outcome, problems, repairs } = row;
    this.#rows.read += 1;
    this.#rows[outcome === 'rejection' ? 'rejected' : 'accepted'] += 1;
    this.#repaired += repairs.length;
    if (outcome !== 'order') this.#count.add({ outcome, record, problems });
    else this.#count.rows += 1;
    const { known, config } = this.#night;
    this.#lines.add(row, forecast, config.submit, known);
    if (outcome === 'rejection') {
      this.#rejected ??= this.#putAside('rejected');
      this.#rejected.append(JSON.stringify({ record, problems, repairs }));
    }
    if (this.#lists === null) return;
    const place = { sheet: record.place.sheet, row: record.place.rowNumber };
    if (problems.length > 0) this.#lists.problems.append(JSON.stringify({ ...place, problems }));
    for (const repair of repairs) this.#lists.repairs.append(JSON.stringify({ ...repair, ...place }));
    if (forecast !== null) this.#lists.forecast.append(JSON.stringify(forecastEntry(place, forecast, row, config.submit, known)));
  }

  #putAside(list: string): TextSpool {
    return this.#night.putAside(`${this.#number}-${list}`);
  }

  /** The content's hash, where somebody needs it; and whether a run would know the content. */
  async #recognise(): Promise<{ readonly hash: string; readonly cameBefore: string | null }> {
    const hash = await sha256OfFile(this.#file.path);
    const { ledger, taken } = this.#night;
    const recorded = (await ledger?.findFile(hash)) ?? null;
    if (recorded !== null) {
      return { hash, cameBefore: `The same content was taken in on ${format(recorded.recordedAt, 'yyyy-MM-dd HH:mm')} as ${recorded.name}: a run would do nothing with it.` };
    }
    const before = taken.get(hash);
    taken.set(hash, before ?? this.#name);
    return { hash, cameBefore: before === undefined ? null : `Its content is that of ${before}: a run would do nothing with it.` };
  }

  async #writeCorrections({ layouts }: FileReading, hash: string): Promise<string | null> {
    const rejected = this.#rejected;
    if (rejected === null) return null;
    const { workspace } = this.#night;
    const { name, sender } = this.#file;
    const building = join(this.#night.scratch, `${this.#number}-corrections.xlsx`);
    await this.#night.files.writeCorrections(building, { file: { name: this.#name, hash }, layouts, rows: () => rejectedRows(rejected) }, this.#rows.rejected);
    const folder = await senderFolder(workspace.corrections, sender);
    const written = await moveWithoutOverwriting(building, folder, `${safeFileName(parse(name).name)} - to fix.xlsx`);
    return relative(workspace.root, written).replaceAll('\\', '/');
  }
}

const NOTHING_BEFORE = { filesLike: () => Promise.resolve([]) };

interface RejectedRow {
  readonly record: RowRecord;
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
}

/** JSON has no `undefined`: empty cells come back as null. */
async function* rejectedRows(spool: TextSpool): AsyncGenerator<RejectedRow> {
  for (const text of spool.texts()) {
    const row = JSON.parse(text) as Omit<RejectedRow, 'record'> & { readonly record: Omit<RowRecord, 'cells'> & { readonly cells: readonly (Cell | null)[] } };
    yield { ...row, record: { ...row.record, cells: row.record.cells.map((cell) => cell ?? undefined) } };
  }
}
