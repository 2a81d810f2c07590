import { jobEndedError, type SqlRow, type SqlValue, type Writes } from './driver.ts';
import type { Reply, PostgresStatement } from './postgres-connection.ts';

const ROWS_AT_ONCE = 500;
const PARAMETERS_MAX = 60_000;

/** Each with the name by which a connection has it prepared. */
export class PreparedStatements {
  readonly #prepared = new Map<string, PostgresStatement>();

  of(sql: string, values: readonly SqlValue[]): PostgresStatement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = { text: inPostgres(sql), name: `s${this.#prepared.size}` };
      this.#prepared.set(sql, statement);
    }
    return { ...statement, values: values.map(storable) };
  }
}

export class PostgresJob implements Writes {
  #ask: ((statement: PostgresStatement) => Promise<Reply>) | null;
  readonly #statements: PreparedStatements;

  constructor(ask: (statement: PostgresStatement) => Promise<Reply>, statements: PreparedStatements) {
    this.#ask = ask;
    this.#statements = statements;
  }

  async query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return (await this.#outcome(sql, values)).rows;
  }

  async get(sql: string, ...values: SqlValue[]): Promise<SqlRow | undefined> {
    return (await this.#outcome(sql, values)).rows[0];
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    return (await this.#outcome(sql, values)).count;
  }

  async insert(sql: string, ...values: SqlValue[]): Promise<number> {
    return Number((await this.#outcome(`${sql} RETURNING id`, values)).rows[0]?.['id']);
  }

  async insertAll(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    const columns = rows[0]?.length ?? 1;
    const at = sql.lastIndexOf('VALUES');
    const atOnce = Math.min(ROWS_AT_ONCE, Math.floor(PARAMETERS_MAX / columns));
    const outcomes: Promise<Reply>[] = [];
    for (let from = 0; from < rows.length; from += atOnce) {
      const part = rows.slice(from, from + atOnce);
      const places = part.map(
        (_row, row) =>
          `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`,
      );
      outcomes.push(
        this.#send({
          text: `${sql.slice(0, at)}VALUES ${places.join(', ')} RETURNING id`,
          values: part.flat().map(storable),
        }),
      );
    }
    return Number((await Promise.all(outcomes)).at(-1)?.rows.at(-1)?.['id'] ?? 0);
  }

  async nextId(table: 'orders' | 'rows'): Promise<number> {
    const row = await this.get(
      'SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence(CAST(? AS text), CAST(? AS text)) AS regclass)), 0) + 1 AS id',
      table,
      'id',
    );
    return Number(row?.['id']);
  }

  end(): void {
    this.#ask = null;
  }

  #outcome(sql: string, values: readonly SqlValue[]): Promise<Reply> {
    return this.#send(this.#statements.of(sql, values));
  }

  #send(statement: PostgresStatement): Promise<Reply> {
    if (this.#ask === null) throw jobEndedError();
    return this.#ask(statement);
  }
}

/** Numbered parameters, no planner hints, LIKE in any case. */
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
function storable(value: SqlValue) {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
}
