import { describe, expect, test } from 'vitest';
import { TestClient } from '../../../support/sandbox/test-client.ts';

describe('documentRoutes', () => {
  test('serves a page that may load from its own origin only', async () => {
    await using client = await TestClient.start();
    const page = await fetch(`${client.sandbox.baseUrl}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
  });

  test('serves every file that the page names, without a token', async () => {
    await using client = await TestClient.start();
    const page = `${client.sandbox.baseUrl}/docs`;
    const html = await (await fetch(page)).text();
    const files = [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.toSorted()).toEqual([
      'docs/start.js',
      'docs/swagger-ui-bundle.js',
      'docs/swagger-ui.css',
      'openapi.json',
    ]);
    for (const file of files) {
      const { status, headers } = await fetch(new URL(file, page));
      expect([file, status, headers.get('content-type')]).toEqual([
        file,
        200,
        `${{ js: 'text/javascript', css: 'text/css', json: 'application/json' }[file.split('.')[1] ?? '']}; charset=utf-8`,
      ]);
    }
  });
});
