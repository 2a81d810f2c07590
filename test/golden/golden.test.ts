import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { entriesOf } from '../end-to-end/delivery-archive.ts';
import { startMailServer } from '../support/mail-server.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';
import { startRecordedService } from './recorded-service.ts';
import { settled, shownFolder, shownMail, shownWorkbook } from './shown.ts';
import { CONFIG, NIGHTS, runThreeNights } from './three-nights.ts';

const EXPECTED = join(import.meta.dirname, 'expected');

describe('run, on three fixed nights against a recorded service', () => {
  test('delivers the same files, mails and screens as before', { timeout: 180_000 }, async () => {
    vi.stubEnv('TZ', 'America/New_York');
    await using service = await startRecordedService();
    await using mailServer = await startMailServer();
    const names = { BASE_URL: service.baseUrl, CLIENT_ID: 'c', CLIENT_SECRET: 'cs', USERNAME: 'us', PASSWORD: 'pw' };
    const env = Object.entries(names).map(([name, value]) => `INSPECTION_${name}=${value}\n`);
    const mail = `{ smtp: "smtp://127.0.0.1:${mailServer.port}", from: inspections@example.com, analysts: [ops@example.com], underwriters: [uw@example.com], engineers: [oncall@example.com], senders: { smith-agency: [ann@example.com] } }`;
    await using workspace = await temporaryWorkspace({
      env: env.join(''),
      config: `${CONFIG}notify:\n  mail: ${mail}\n`,
    });
    let now = 0;
    let mailsSeen = 0;
    let changesSeen = 0;
    const expectText = (text: string, night: number, name: string): Promise<void> =>
      expect(settled(text, workspace.path)).toMatchFileSnapshot(
        join(EXPECTED, `night-${night}`, name.replaceAll(' ', '-')),
      );
    await runThreeNights(
      workspace,
      { now: () => now },
      async (night) => {
        now = NIGHTS[night] ?? 0;
        service.night = night;
      },
      async ({ number, exitCode, text, json }) => {
        await expectText(`${text}\nexit code ${exitCode}\n`, number, 'screen.txt');
        await expectText(`${JSON.stringify(json, null, 1)}\n`, number, 'summary.json');
        await expectText(`${service.changes.slice(changesSeen).join('\n')}\n`, number, 'changes-at-the-service.txt');
        changesSeen = service.changes.length;
        const mails = mailServer.mails.slice(mailsSeen).map(shownMail).toSorted();
        mailsSeen = mailServer.mails.length;
        await expectText(mails.join('\n\n'), number, 'mails.txt');
        for (const part of ['corrections', 'receipts'])
          for (const name of workbooksIn(workspace.at(part)))
            await expectText(await shownWorkbook(workspace.at(part, name)), number, `${part}/${name}.txt`);
        if (json.delivery === null) return;
        const folder = workspace.at(json.delivery.folder);
        await expectText(shownFolder(folder, /\.(?:pdf|jpg)$/), number, 'delivery.txt');
        for (const name of readdirSync(folder)) {
          const path = join(folder, name);
          if (name.endsWith('.xlsx')) await expectText(await shownWorkbook(path), number, `delivery/${name}.txt`);
          if (/\.(?:html|json|jsonl|csv|txt)$/.test(name))
            await expectText(readFileSync(path, 'utf8'), number, `delivery/${name}`);
          if (name.endsWith('.zip'))
            await expectText((await archived(path)).join('\n'), number, `delivery/${name}.txt`);
        }
      },
    );
    vi.unstubAllEnvs();
  });
});

function workbooksIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.xlsx')) : [];
}

async function archived(path: string): Promise<readonly string[]> {
  return [...(await entriesOf(path)).keys()].toSorted();
}
