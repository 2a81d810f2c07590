import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { neededProgram } from '../../end-to-end/needed-program.ts';
import { TestClient } from '../../support/sandbox/test-client.ts';

const CHROMIUM = neededProgram('chromium');

describe('GET /docs', () => {
  test.skipIf(CHROMIUM.mayBeSkipped)(
    `${CHROMIUM.note}shows every operation without outside requests or policy errors`,
    async () => {
      await using client = await TestClient.start();
      const browser = await chromium.launch({ executablePath: CHROMIUM.path, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        const asked: string[] = [];
        const complaints: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).origin));
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (failure) => complaints.push(failure.message));
        await page.goto(`${client.sandbox.baseUrl}/docs`);
        await page.locator('.opblock').first().waitFor();
        expect(await page.locator('.opblock').count()).toBe(13);
        await page.locator('#operations-Projects-createProject').click();
        await page.getByText('There is no idempotency key').waitFor();
        expect(new Set(asked.filter((origin) => origin !== 'null'))).toEqual(new Set([client.sandbox.baseUrl]));
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
