import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExcelJS from 'exceljs';
import { expect, test } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../../../src/sandbox/faults/scenarios.ts';
import { callHere, startSandboxHere } from '../../support/command-in-this-process.ts';
import { oneDocument, startCommand } from '../../support/command-line.ts';
import { orderCsv } from '../../support/order-csv.ts';
import { orderPayload } from '../../support/order-factory.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { killOnce, type SandboxControls } from '../../support/sandbox-process.ts';
import { ordersOnRecord, temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PATIENT = { timeout: 600_000 };
const TWO_DAYS_S = 2 * 24 * 60 * 60;
const CONFIG = 'collect:\n  markReceived: true\n  images: none\nresults:\n  thumbnailsPerProject: 0\n';
const HEADER = [
  'inspectionNumber',
  'policyNumber',
  'policyEffectiveDate',
  'allowDuplication',
  ...Object.keys(orderPayload()),
];

/** A workspace that runs night after night, and what its nights have asked for. */
interface Month extends AsyncDisposable {
  readonly workspace: TemporaryWorkspace;
  readonly sandbox: SandboxControls;
  /** A copy of `state/`, and one that `backup` made. */
  readonly copies: string;
  /** The insured of each order that there must be one project of. */
  readonly asked: Set<string>;
  nights: number;
}

async function openMonth(options: SandboxOptions = { latencyMs: 5 }, quarantineSeconds = 1): Promise<Month> {
  await using opened = new AsyncDisposableStack();
  const sandbox = opened.use(await startSandboxHere(options));
  const workspace = opened.use(
    await temporaryWorkspace({
      env: sandbox.lines,
      config: `submit:\n  quarantineSeconds: ${quarantineSeconds}\n${CONFIG}`,
    }),
  );
  const copies = opened.use(await temporaryFolder());
  const resources = opened.move();
  return {
    sandbox,
    workspace,
    copies: copies.path,
    asked: new Set(),
    nights: 0,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A command's exit code and its document. */
interface Ended {
  readonly code: number | null;
  readonly json: unknown;
}

async function call({ workspace }: Month, ...args: readonly string[]): Promise<Ended> {
  const ended = await callHere([...args, '--workspace', workspace.path, '--json']);
  return { code: ended.code, json: oneDocument(ended) };
}

/** Tonight's file: with each kind of key and with none, one that is ordered once more on purpose, and one with a mistake. */
async function drop(month: Month): Promise<void> {
  month.nights += 1;
  const { nights: night, asked, workspace } = month;
  const row = (name: string, changes: Readonly<Record<string, string>>): string => {
    if (changes['zipcode'] === undefined) asked.add(`${name} ${night}`);
    const plain = Object.entries(
      orderPayload({ streetAddress: `${night}${name.length} Oak Street`, insuredName: `${name} ${night}` }),
    ).map(([field, value]) => [field, String(value)]);
    const values: Readonly<Record<string, string>> = { ...Object.fromEntries(plain), ...changes };
    return HEADER.map((field) => values[field] ?? '').join(',');
  };
  const rows = [
    row('Ann', { inspectionNumber: `I-${night}` }),
    row('Bert', { policyNumber: `P-${night}`, policyEffectiveDate: '2027-01-01' }),
    row('Clara', {}),
    row('Dorothea', { inspectionNumber: `I-${night - 1}`, allowDuplication: 'Yes' }),
    row('Ernestine', { policyNumber: `E-${night}`, policyEffectiveDate: '2027-02-01', zipcode: '9' }),
  ];
  await writeFile(join(workspace.inbox, `night ${night}.csv`), `${[HEADER.join(','), ...rows].join('\n')}\n`);
}

/** More than a quota allows in its time. */
async function dropMany({ asked, workspace }: Month, count: number): Promise<void> {
  const csv = orderCsv(count, { series: 9 });
  for (const [name] of csv.matchAll(/Ann Lee \d+/g)) asked.add(name);
  await writeFile(join(workspace.inbox, 'many.csv'), csv);
}

/** Fixes the rows of every corrections workbook, and drops it. */
async function fixCorrections({ workspace, asked }: Month): Promise<void> {
  for (const name of (await readdir(workspace.at('corrections'))).filter((entry) => entry.endsWith('.xlsx'))) {
    const book = new ExcelJS.Workbook();
    await book.xlsx.readFile(workspace.at('corrections', name));
    for (const sheet of book.worksheets) {
      const zip = (sheet.getRow(1).values as unknown[]).indexOf('zipcode');
      if (zip < 1) continue;
      sheet.eachRow((row, number) => {
        if (number === 1) return;
        row.getCell(zip).value = '02139';
        row.eachCell((cell) => {
          if (/^Ernestine \d+$/.test(cell.text)) asked.add(cell.text);
        });
      });
    }
    await book.xlsx.writeFile(join(workspace.inbox, name));
    await rm(workspace.at('corrections', name));
  }
}

async function night(month: Month): Promise<void> {
  await drop(month);
  expectWell(await call(month, 'run'));
  await month.sandbox.advance(TWO_DAYS_S);
}

/** Done, with or without work left over or news for people. */
function expectWell(ended: Ended): void {
  expect([ended.code !== null && [0, 3, 4].includes(ended.code), ended]).toEqual([true, ended]);
}

/** What is asked for stands at the service once each, by the sandbox's own list; and the books balance. */
async function expectAllOnce(month: Month): Promise<void> {
  const { sandbox, asked, workspace } = month;
  for (let run = 0; run < 8; run += 1) {
    if ((await call(month, 'run')).code !== 4) break;
    await sandbox.advance(TWO_DAYS_S);
  }
  const insured = (await sandbox.projects()).map(({ request }) => String(request['insuredName'])).toSorted();
  expect(insured).toEqual([...asked].toSorted());
  expect(await sandbox.audit()).toMatchObject({ doubles: [], internalErrors: [] });
  const orders = await ordersOnRecord(workspace.path);
  expect(
    orders.filter(({ state }) => state !== 'created').map(({ id, state, reason }) => ({ id, state, reason })),
  ).toEqual([]);
  const census = (await call(month, 'verify')).json as { lines: { mark: string }[] };
  expect(census.lines.filter(({ mark }) => mark !== '=')).toEqual([]);
}

interface Place {
  readonly name: string;
  /** What happens on the third night after the copy, and what becomes of the ledger then. */
  readonly happens: (month: Month) => Promise<void>;
  readonly recover?: (month: Month) => Promise<Ended>;
}

const ledgerOf = ({ workspace }: Month): string => workspace.at('state/ledger.sqlite');

async function restore(month: Month): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(`${ledgerOf(month)}${ending}`, { force: true });
  await cp(join(month.copies, 'ledger.sqlite'), ledgerOf(month));
}

async function killedMidSubmit(month: Month): Promise<void> {
  await drop(month);
  const before = (await month.sandbox.audit()).creates;
  await month.sandbox.faults([{ kind: 'latency', ms: 150, match: { method: 'POST', route: '/v1/project' } }]);
  await using run = startCommand(['submit', '--workspace', month.workspace.path]);
  expect(await killOnce(async () => (await month.sandbox.audit()).creates > before, run)).toBe(true);
  await month.sandbox.faults([]);
}

const places: readonly Place[] = [
  {
    name: 'before files are taken in',
    happens: async (month) => {
      await night(month);
      await restore(month);
      await drop(month);
    },
  },
  {
    name: 'after a submission',
    happens: async (month) => {
      await drop(month);
      await call(month, 'submit');
      await restore(month);
    },
  },
  {
    name: 'after a submission that was killed',
    happens: async (month) => {
      await killedMidSubmit(month);
      await restore(month);
    },
  },
  {
    name: 'after a follow-up that received what it delivered',
    happens: async (month) => {
      await night(month);
      await call(month, 'collect');
      await restore(month);
    },
  },
  {
    name: 'when the -wal file of a killed run is lost',
    happens: async (month) => {
      await killedMidSubmit(month);
      await rm(`${ledgerOf(month)}-wal`);
    },
  },
  {
    name: 'with all of state/',
    happens: async (month) => {
      await night(month);
      await rm(month.workspace.at('state'), { recursive: true });
      await cp(join(month.copies, 'state'), month.workspace.at('state'), { recursive: true });
    },
  },
  {
    name: 'by `recover --from`, with the -wal file of a killed run beside a damaged ledger',
    happens: async (month) => {
      await killedMidSubmit(month);
      await writeFile(ledgerOf(month), 'not a ledger'.repeat(2000));
    },
    recover: async (month) => call(month, 'recover', '--from', join(month.copies, 'backup.sqlite')),
  },
  {
    name: 'from nothing, where the ledger is missing',
    happens: async (month) => {
      await night(month);
      for (const ending of ['', '-wal', '-shm']) await rm(`${ledgerOf(month)}${ending}`, { force: true });
    },
  },
  {
    name: 'from nothing, where state/ is missing, with a corrections workbook in the inbox',
    happens: async (month) => {
      await night(month);
      await fixCorrections(month);
      await rm(month.workspace.at('state'), { recursive: true });
    },
  },
  {
    name: 'after projects were canceled, amended and received',
    happens: async (month) => {
      await drop(month);
      await call(month, 'submit');
      const byInsured = new Map(
        (await month.sandbox.projects()).map(({ id, request }) => [String(request['insuredName']), String(id)]),
      );
      const [canceled = '', amended = ''] = [
        byInsured.get(`Clara ${month.nights}`),
        byInsured.get(`Bert ${month.nights}`),
      ];
      expect((await call(month, 'cancel', canceled)).code).toBe(0);
      expect((await call(month, 'amend', amended, '--policy-number', 'P-NEW')).code).toBe(0);
      await restore(month);
    },
  },
];

// One of the places in a share: with the others it takes longer than any other proof.
test.concurrent.each(inTurn(places, 10))(
  'recover balances the books of an older ledger, restored $name',
  PATIENT,
  async ({ happens, recover = (month) => call(month, 'recover') }) => {
    await using month = await openMonth();
    await night(month);
    await fixCorrections(month);
    await cp(month.workspace.at('state'), join(month.copies, 'state'), { recursive: true });
    await cp(ledgerOf(month), join(month.copies, 'ledger.sqlite'));
    expect((await call(month, 'backup', '--to', join(month.copies, 'backup.sqlite'))).code).toBe(0);
    await night(month);
    await fixCorrections(month);
    await night(month);
    await happens(month);
    const { creates } = await month.sandbox.audit();
    for (const command of ['run', 'collect'])
      expect(await call(month, command)).toMatchObject({
        code: 2,
        json: { error: { hint: expect.stringContaining('inspection-batch recover') } },
      });
    expect((await month.sandbox.audit()).creates).toBe(creates);
    expectWell(await recover(month));
    expect((await month.sandbox.audit()).creates).toBe(creates);
    await night(month);
    await fixCorrections(month);
    await night(month);
    await fixCorrections(month);
    await expectAllOnce(month);
  },
);

const SCENARIOS = inProof<readonly ScenarioName[]>({
  share: inTurn(['lost-answers'], 2),
  whole: SCENARIO_NAMES.filter((name) => name !== 'calm'),
});

/**
 * Seconds of sandbox time in a real second. At 150 the two seconds of quarantine are to a scenario's lags what the five minutes of the default are to
 * those of a service. Where nothing lags, time passes slowly enough for an outage to last through a run, and for a quota to be used up.
 */
const PACES: Partial<Record<ScenarioName, number>> = { outage: 15, quota: 1 };

test.concurrent.each(SCENARIOS)(
  'recover balances the books of an older ledger under scenario %s',
  { timeout: 1_800_000 },
  async (scenario) => {
    await using month = await openMonth({ timeScale: PACES[scenario] ?? 150 }, 2);
    const { sandbox } = month;
    let bites = 0;
    const begin = async (name: ScenarioName): Promise<void> => {
      for (const fault of (await sandbox.audit()).faults) bites += fault.bites;
      await sandbox.scenario(name);
    };
    await night(month);
    await fixCorrections(month);
    await cp(ledgerOf(month), join(month.copies, 'ledger.sqlite'));
    for (let since = 0; since < 2; since += 1) {
      await begin(scenario);
      await night(month);
    }
    await begin(scenario);
    await drop(month);
    if (scenario === 'quota') await dropMany(month, 110);
    expectWell(await call(month, 'submit'));
    await restore(month);
    const { creates } = await sandbox.audit();
    expect(await call(month, 'run')).toMatchObject({ code: 2 });
    await begin(scenario);
    expectWell(await call(month, 'recover'));
    // What it could not end while the service was away it ends now.
    await begin('calm');
    expectWell(await call(month, 'recover'));
    expect((await sandbox.audit()).creates).toBe(creates);
    await begin(scenario);
    await night(month);
    await begin('calm');
    await fixCorrections(month);
    await night(month);
    await fixCorrections(month);
    await expectAllOnce(month);
    expect(bites).toBeGreaterThan(3);
  },
);
