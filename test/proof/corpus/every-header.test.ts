import { expect, test } from 'vitest';
import { TITLES, unreadHeaders } from '../../support/every-header.ts';
import { inTurn } from '../../support/proof-size.ts';

test.each(TITLES)('reads headers of $name in a file', async (field) => {
  expect(await unreadHeaders(field, (headers) => inTurn(headers, 4))).toEqual([]);
});
