import { expect, test } from 'vitest';
import { TestClient } from '../support/sandbox/test-client.ts';
import { PARTS } from './parts.ts';
import type { Row } from './row.ts';

/** Holds the sandbox to those sentences of the document that `choose` takes. */
export function holdToDocument(choose: (rows: readonly Row[]) => readonly Row[]): void {
  const rows = choose(PARTS.flatMap((part) => part.rows));
  test.each(rows.map((row) => [row.id, row.fact, row] as const))('%s: %s', async (_id, _fact, { options, check }) => {
    // What looks at the summaries that are collected once for all needs no sandbox of its own.
    if (check.length === 0) {
      await (check as () => Promise<void>)();
      return;
    }
    await using client = await TestClient.start(options ?? { autoProgress: false });
    await check(client);
    expect((await client.control('GET', '/audit')).body).toMatchObject({ internalErrors: [] });
  });
}
