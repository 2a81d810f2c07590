import { expect, test } from 'vitest';
import { TITLES, unreadHeaders } from '../../support/every-header.ts';

test.each(TITLES)('reads every header of $name in a file', async (field) => {
  expect(await unreadHeaders(field, 1)).toEqual([]);
});
