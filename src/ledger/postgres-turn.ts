import { jobEndedError, type SqlValue, storable, type Writes } from './driver.ts';
import type { JobInProgress } from './nested-job-guard.ts';
import type { Reply, PostgresStatement } from './postgres-connection.ts';

const ROWS_AT_ONCE = 500;
const PARAMETERS_MAX = 60_000;

type Prepare = (sql: string, values: readonly SqlValue[]) => PostgresStatement;

/** Gives each statement a name, so that a connection prepares it only once. */
export function preparedStatements(): Prepare {
  const prepared = new Map<string, PostgresStatement>();
  return (sql, values) => {
    const statement = prepared.get(sql) ?? { text: inPostgres(sql), name: `s${prepared.size}` };
    prepared.set(sql, statement);
    return { ...statement, values: values.map(withoutNul) };
  };
}

export function openPostgresJob(
  ask: (statement: PostgresStatement) => Promise<Reply>,
  prepare: Prepare,
  job: JobInProgress,
) {
  const send = (statement: PostgresStatement) => {
    if (job.isOver) throw jobEndedError();
    return ask(statement);
  };
  const outcomeOf = (sql: string, values: readonly SqlValue[]) => send(prepare(sql, values));
  const db: Writes = {
    query: async (sql, ...values) => (await outcomeOf(sql, values)).rows,
    get: async (sql, ...values) => (await outcomeOf(sql, values)).rows[0],
    run: async (sql, ...values) => (await outcomeOf(sql, values)).count,
    insert: async (sql, ...values) => Number((await outcomeOf(`${sql} RETURNING id`, values)).rows[0]?.['id']),
    insertAll: async (sql, rows) => {
      const columns = rows[0]?.length ?? 1;
      const at = sql.lastIndexOf('VALUES');
      const atOnce = Math.min(ROWS_AT_ONCE, Math.floor(PARAMETERS_MAX / columns));
      const outcomes = [];
      for (let from = 0; from < rows.length; from += atOnce) {
        const part = rows.slice(from, from + atOnce);
        const places = part.map(
          (_row, row) =>
            `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`,
        );
        const text = `${sql.slice(0, at)}VALUES ${places.join(', ')} RETURNING id`;
        outcomes.push(send({ text, values: part.flat().map(withoutNul) }));
      }
      return Number((await Promise.all(outcomes)).at(-1)?.rows.at(-1)?.['id'] ?? 0);
    },
    nextId: async (table) => {
      const row = await db.get(
        'SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence(CAST(? AS text), CAST(? AS text)) AS regclass)), 0) + 1 AS id',
        table,
        'id',
      );
      return Number(row?.['id']);
    },
  };
  return db;
}

function inPostgres(sql: string) {
  let unnumbered = 0;
  return sql
    .replaceAll(/'[^']*'|\?(\d*)/g, (found, number: string | undefined) =>
      number === undefined ? found : `$${number === '' ? ++unnumbered : number}`,
    )
    .replaceAll(/ INDEXED BY \w+| NOT INDEXED/g, '')
    .replaceAll(' CROSS JOIN ', ' JOIN ')
    .replaceAll(' LIKE ', ' ILIKE ');
}

/** PostgreSQL stores no NUL in text. */
function withoutNul(value: SqlValue) {
  const stored = storable(value);
  return typeof stored === 'string' && stored.includes('\0') ? stored.replaceAll('\0', '\u{FFFD}') : stored;
}
