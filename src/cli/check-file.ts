import { join, relative } from 'node:path';
import { format } from 'date-fns/format';
import { messageOf } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import type { RowOutcome, SheetLayout } from '../domain/row.ts';
import type { RowToFix } from '../intake/corrections/sheet-plan.ts';
import type { FileDesk } from '../intake/read-orders.ts';
import { UnreadableFileError } from '../intake/readers/row-source.ts';
import type { FileRecord } from '../ledger/files.ts';
import type { NewRow } from '../ledger/rows.ts';
import { isScratchFile, type TakeInLedger } from '../ledger/scratch-ledger.ts';
import type { Config } from '../ops/config.ts';
import { moveWithoutOverwriting } from '../ops/durable-files.ts';
import { isSystemError } from '../ops/system.ts';
import type { TextSpool } from '../ops/text-spool.ts';
import type { Workspace } from '../ops/workspace.ts';
import { correctionsName } from '../submit/corrections.ts';
import type { DuplicateForecast } from '../submit/duplicate-forecast.ts';
import { type ClaimedFile, senderFolder, shownAs } from '../submit/file-moves.ts';
import { intakeSettings, layoutChangesInWords } from '../submit/hold.ts';
import type { RowDecision } from '../submit/row-decision.ts';
import { takeInDry } from '../submit/take-in.ts';
import { type CheckedFile, type CheckedLists, forecastEntry, RowLines, UNREAD } from './check-report.ts';
import { rowsOfText } from './files-apart.ts';

/** What the files of one check have in common. */
export interface CheckContext {
  readonly config: Config;
  readonly workspace: Workspace;
  readonly files: FileDesk;
  /** Stands still: all the files come on one night. */
  readonly clock: Clock;
  /** The dry run's, over the workspace's own. */
  readonly ledger: TakeInLedger;
  readonly forecast: DuplicateForecast;
  /** A folder for what would not fit in memory. */
  readonly scratch: string;
  /** A spool of that name in it. */
  readonly putAside: (name: string) => TextSpool;
  readonly withJson: boolean;
}

/** Checks one file; `number` tells it apart from the others of this check. */
export async function checkFile(file: ClaimedFile, number: number, context: CheckContext): Promise<CheckedFile> {
  const { forecast } = context;
  const expected = forecast.count;
  try {
    return await new FileCheck(file, number, context).run();
  } catch (failure) {
    forecast.takeBack(expected);
    if (failure instanceof UnreadableFileError) return { ...UNREAD, name: shownAs(file), reason: failure.message };
    if (isSystemError(failure)) return { ...UNREAD, name: shownAs(file), reason: `It cannot be opened: ${messageOf(failure)}` };
    throw failure;
  }
}

/** The check of one file, from its first row to its corrections workbook. */
class FileCheck {
  readonly #file: ClaimedFile;
  readonly #name: string;
  readonly #number: number;
  readonly #context: CheckContext;
  readonly #rows = { read: 0, accepted: 0, rejected: 0 };
  readonly #lines = new RowLines();
  readonly #lists: CheckedLists | null;
  #repaired = 0;
  #rejected: TextSpool | null = null;

  constructor(file: ClaimedFile, number: number, context: CheckContext) {
    this.#file = file;
    this.#name = shownAs(file);
    this.#number = number;
    this.#context = context;
    this.#lists = context.withJson ? { forecast: this.#putAside('forecast'), problems: this.#putAside('problems'), repairs: this.#putAside('repairs') } : null;
  }

  async run(): Promise<CheckedFile> {
    const { config, ledger, files, clock, forecast } = this.#context;
    const expected = forecast.count;
    const context = { ...intakeSettings(config.intake), ledger, files, clock, rules: config.submit };
    const { file, before, hash, reasons, comparison, layouts, notes } = await takeInDry(this.#file, context, (...row) => this.#hear(...row));
    if (file === null) forecast.takeBack(expected);
    const held = reasons.length === 0 ? null : `A run would hold this file for a person to approve. ${reasons.map(({ sentence }) => sentence).join(' ')}`;
    return {
      name: this.#name,
      outcome: 'checked',
      rows: this.#rows,
      corrections: await this.#writeCorrections(layouts, hash),
      reason: null,
      notes: [...notes, before === null ? null : cameBefore(before), layoutChangesInWords(comparison), held].filter((note) => note !== null),
      repaired: this.#repaired,
      lines: this.#lines,
      lists: this.#lists,
    };
  }

  #hear(row: NewRow, read: RowOutcome, decision: RowDecision | null): void {
    const { record, outcome, problems, repairs } = row;
    const { config, ledger, forecast: service } = this.#context;
    const forecast = read.kind === 'rejection' || decision === null ? null : { decision, service: service.answerTo(read, decision, row.orderId) };
    this.#rows.read += 1;
    this.#rows[outcome === 'rejection' ? 'rejected' : 'accepted'] += 1;
    this.#repaired += repairs.length;
    this.#lines.add(row, forecast, config.submit, ledger.lookup);
    if (outcome === 'rejection') {
      this.#rejected ??= this.#putAside('rejected');
      this.#rejected.append(JSON.stringify({ record, problems, repairs }));
    }
    if (this.#lists === null) return;
    const place = { sheet: record.place.sheet, row: record.place.rowNumber };
    if (problems.length > 0) this.#lists.problems.append(JSON.stringify({ ...place, problems }));
    for (const repair of repairs) this.#lists.repairs.append(JSON.stringify({ ...repair, ...place }));
    if (forecast !== null) this.#lists.forecast.append(JSON.stringify(forecastEntry(place, forecast, row, config.submit, ledger.lookup)));
  }

  #putAside(list: string): TextSpool {
    return this.#context.putAside(`${this.#number}-${list}`);
  }

  async #writeCorrections(layouts: readonly SheetLayout[], hash: string): Promise<string | null> {
    const rejected = this.#rejected;
    if (rejected === null) return null;
    const { workspace, files, scratch } = this.#context;
    const { name, sender } = this.#file;
    const building = join(scratch, `${this.#number}-corrections.xlsx`);
    await files.writeCorrections(building, { file: { name: this.#name, hash }, layouts, rows: () => rejectedRows(rejected) }, this.#rows.rejected);
    const folder = await senderFolder(workspace.corrections, sender);
    const written = await moveWithoutOverwriting(building, folder, correctionsName(name, 'to fix'));
    return relative(workspace.root, written).replaceAll('\\', '/');
  }
}

/** A run would know the content: from a night before, or from a file before it. */
function cameBefore(before: FileRecord): string {
  return isScratchFile(before)
    ? `Its content is that of ${before.name}: a run would do nothing with it.`
    : `The same content was taken in on ${format(before.recordedAt, 'yyyy-MM-dd HH:mm')} as ${before.name}: a run would do nothing with it.`;
}

async function* rejectedRows(spool: TextSpool): AsyncGenerator<RowToFix> {
  for (const text of spool.texts()) yield* rowsOfText(`[${text}]`) as readonly RowToFix[];
}
