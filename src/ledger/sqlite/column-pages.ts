import type { ResultColumn } from '../../domain/project.ts';
import type { Book } from '../store.ts';

export function resultColumns({ connection, account }: Book): readonly ResultColumn[] {
  return connection.all('SELECT list, path, keyed_by, title, grouped, sheet FROM result_columns WHERE account = ? ORDER BY id', account).map((row) => ({
    list: String(row['list']),
    path: String(row['path']),
    keyedBy: typeof row['keyed_by'] === 'string' ? row['keyed_by'] : null,
    title: String(row['title']),
    group: String(row['grouped']),
    sheet: String(row['sheet']),
  }));
}

export function addResultColumns({ connection, account, clock, run }: Book, columns: readonly ResultColumn[]): void {
  for (const { list, path, keyedBy, title, group, sheet } of columns) {
    connection.run(
      `INSERT INTO result_columns (account, list, path, keyed_by, title, grouped, sheet, run, added_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account, list, path) DO NOTHING`,
      account,
      list,
      path,
      keyedBy,
      title,
      group,
      sheet,
      run,
      clock.now(),
    );
  }
}
