import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { projectsIn, TestClient } from '../../../support/sandbox/test-client.ts';

type Picture = { readonly id: string; readonly type: string; readonly direction: string };
type Comparison = { readonly direction: string; readonly image: readonly { readonly id: string }[] };

describe('summaryOf', () => {
  test('compares each side of a house with the same side before', async () => {
    await using client = await TestClient.start({ autoProgress: false, accountTemplate: 'full' });
    const id = await client.create({ isRenewal: true, streetAddress: '7 Oak Street' });
    await client.setStatus(id, 'Returned to Client');
    const [project] = projectsIn(await client.call('GET', `/v1/project/${id}/image`));
    const pictures = new Map(((project?.['image'] ?? []) as Picture[]).map((picture) => [picture.id, picture]));
    const { body } = await client.call('GET', `/v1/report/R${id}-1/summary`);
    const [{ summary }] = (body as { report: [{ summary: Record<'roof' | 'exterior', { comparison: Comparison[] }> }] })
      .report;
    const digest = async (image: string): Promise<string> => {
      const headers = { authorization: client.authorization };
      const response = await fetch(`${client.sandbox.baseUrl}/v1/image/${image}/file`, { headers });
      return createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
    };
    for (const { comparison } of [summary.roof, summary.exterior]) {
      expect(comparison.map(({ direction }) => direction)).toEqual(['Front', 'Right', 'Rear', 'Left']);
      for (const { direction, image } of comparison) {
        const [now, before] = image.map((shown) => shown.id);
        expect([image.length, now === before]).toEqual([2, false]);
        for (const shown of [now, before])
          expect(pictures.get(shown ?? '')).toMatchObject({ type: 'Elevation', direction });
        expect(await digest(now ?? '')).toBe(await digest(before ?? ''));
      }
    }
  });
});
