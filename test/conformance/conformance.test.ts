import { test } from 'vitest';
import { TestClient } from '../../src/sandbox/test-client.ts';
import { PARTS } from './parts.ts';

const rows = PARTS.flatMap((part) => part.rows);

test.each(rows.map((row) => [row.id, row.fact, row] as const))('%s: %s', async (_id, _fact, { options, check }) => {
  await using client = await TestClient.start(options ?? { autoProgress: false });
  await check(client);
});
