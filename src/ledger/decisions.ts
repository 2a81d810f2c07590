import { isProjectId } from '../contract/document.ts';
import type { Decision } from '../domain/project.ts';
import { FIRST_ORDER, IS_KNOWN, PAYLOAD, payloadOf } from './projects.ts';
import {
  addStep,
  insertRecord,
  hasRow,
  listOf,
  redeliverProject,
  type Store,
  AMONG_IDS,
  jsonOf,
  rowReader,
  textOf,
  ofProject,
  type Job,
} from './store.ts';

type GivenDecisions = Readonly<{
  file: string;
  /** The run that wrote the workbook; null if unnamed. */
  writtenIn: string | null;
  /** For a lost record; default: now. */
  takenInAt?: number;
  decisions: readonly (Decision & { readonly projectId: string })[];
}>;

export type DecisionsResult = Readonly<{
  taken: number;
  unknown: readonly string[];
  /** Another person's decision. */
  replaced: readonly string[];
  /** Not taken: repeats a decision that another person's has replaced since. */
  superseded: readonly string[];
}>;

const CLEAR_WORD = '(clear)';

const UNDECIDED: Decision = { decision: '', by: '', notes: '' };
const COLUMNS = 'decision, decided_by AS "by", notes';

const decisionFrom = rowReader({ decision: textOf, by: textOf, notes: textOf });
const datedFrom = rowReader({ decision: textOf, by: textOf, notes: textOf, run: textOf });

const FIELDS = ['decision', 'by', 'notes'] as const;

export async function decisionsOn(store: Store, projectIds: readonly string[]) {
  const said = await listOf(
    store,
    (row) => [textOf(row['project_id']), decisionFrom(row)] as const,
    `SELECT CAST(project_id AS TEXT) AS project_id, ${COLUMNS} FROM decisions WHERE account = ? AND project_id IN ${AMONG_IDS} ORDER BY id`,
    projectIds,
  );
  return new Map([...new Map(said)].filter(([, decision]) => FIELDS.some((field) => decision[field] !== '')));
}

async function decisionsOnRecord({ driver, account }: Store) {
  const rows = await driver.query(
    `SELECT CAST(decisions.project_id AS TEXT) AS project_id, ${COLUMNS}, decisions.at, decisions.file, projects.status, ${PAYLOAD},
       (SELECT detail FROM steps WHERE subject = 'project' AND subject_id = CAST(decisions.project_id AS TEXT) AND steps.account = decisions.account
          AND event = '${REASONS}' AND steps.at >= decisions.at ORDER BY steps.id LIMIT 1) AS reasons
     FROM decisions JOIN projects ON ${ofProject('decisions')}
       LEFT JOIN orders ON orders.id = ${FIRST_ORDER}
     WHERE decisions.account = ? AND ${IS_KNOWN} ORDER BY decisions.id DESC`,
    account,
  );
  const later = new Set<string>();
  return rows.map((row) => {
    const projectId = String(row['project_id']);
    const isLatest = !later.has(projectId);
    later.add(projectId);
    return {
      ...decisionFrom(row),
      projectId,
      order: payloadOf(row),
      status: String(row['status']),
      at: Number(row['at']),
      file: String(row['file']),
      isLatest,
      reasons: row['reasons'] === null ? null : (jsonOf<{ reason?: string[] }>(row['reasons']).reason ?? null),
    };
  });
}

/**
 * `unknown`: project numbers not on record, as written. The latest entry wins, per cell. An old copy must not undo
 * later decisions: a cell as delivered, or an entry taken in since and replaced by another person's, was not edited.
 */
async function recordDecisions(store: Job, { file, writtenIn, decisions, takenInAt }: GivenDecisions) {
  const at = takenInAt ?? store.clock.now();
  // Run names begin with their time.
  const run = takenInAt === undefined ? store.run : new Date(takenInAt).toISOString().replaceAll(':', '');
  const result = { taken: 0, unknown: [] as string[], replaced: [] as string[], superseded: [] as string[] };
  // A house may come twice: its first entry is not delivered for the second.
  const onRecord = new Map<string, readonly ReturnType<typeof datedFrom>[]>();
  for (const said of decisions) {
    const { projectId } = said;
    const isKnown = isProjectId(projectId) && (await hasRow(store, 'projects', 'id = ?', BigInt(projectId)));
    if (!isKnown) {
      result.unknown.push(projectId === '' ? '(blank)' : projectId);
      continue;
    }
    const about = `SELECT ${COLUMNS}, run FROM decisions WHERE account = ? AND project_id = ? ORDER BY id DESC`;
    const latestFirst = await listOf(store, datedFrom, about, BigInt(projectId));
    const before = latestFirst[0] ?? UNDECIDED;
    const known = onRecord.get(projectId) ?? latestFirst;
    onRecord.set(projectId, known);
    const copy = writtenIn ?? '';
    const delivered = known.find((one) => one.run <= copy) ?? UNDECIDED;
    const wanted = (field: keyof Decision) => (said[field].toLowerCase() === CLEAR_WORD ? '' : said[field]);
    const now = { ...before };
    for (const field of FIELDS) if (said[field] !== '' && said[field] !== delivered[field]) now[field] = wanted(field);
    const isNoteNew = now.notes !== '' && now.notes !== before.notes;
    // A note alone, or with the same decision, leaves that to the person who made it.
    const isNoteAlone = said.decision === '' || (isNoteNew && now.decision === before.decision);
    if (isNoteAlone && before.decision !== '') {
      now.by = before.by;
      const signed = `${said.by}: ${now.notes}`;
      if (isNoteNew && said.by !== '' && said.by !== before.by)
        now.notes = before.notes.includes(signed) ? before.notes : [before.notes, signed].filter(Boolean).join('; ');
    }
    if (FIELDS.every((field) => now[field] === before[field])) continue;
    const isAnother = said.by === '' || wanted('by') !== before.by;
    const isSaidIn = (one: Decision) => FIELDS.every((field) => said[field] === '' || wanted(field) === one[field]);
    if (isAnother && copy !== '' && known.some((one) => one.run > copy && isSaidIn(one))) {
      result.superseded.push(projectId);
      continue;
    }
    const { decision, by: decidedBy, notes } = now;
    await insertRecord(store, 'decisions', { projectId: BigInt(projectId), decision, decidedBy, notes, at, run, file });
    await redeliverProject(store, projectId);
    // Forgotten with the other comments.
    const comment = [decidedBy && `by ${decidedBy}`, notes].filter(Boolean).join(': ') || undefined;
    await addStep(store, 'project', projectId, 'decided', { decision, comment });
    result.taken += 1;
    if (before.decision !== '' && before.decision !== decision && before.by !== decidedBy)
      result.replaced.push(projectId);
  }
  return result;
}

/** Records why a decided house needed a look: reports and rules may change later. */
const REASONS = 'reasons kept';

/**
 * `houses`: the reasons by project ID, once a delivery has shown the decisions since the one before. `prune` removes
 * them later.
 */
export async function keepReasons(store: Job, houses: ReadonlyMap<string, readonly string[]>) {
  for (const [projectId, reasons] of houses) await addStep(store, 'project', projectId, REASONS, { reason: reasons });
}

export const decisionVerbs = {
  reads: {
    /** By project ID, without decisions taken back. */
    decisionsOn,
    decisionsOnRecord,
  },
  writes: {
    recordDecisions,
  },
};
