import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTables } from '../../end-to-end/workbook-cells.ts';
import { inProof, inTurn } from '../../support/proof-size.ts';
import { shapeOf } from '../../surface/shape.ts';
import { oneDocument, PACKAGE_ROOT, runToEnd, startCommand } from '../../support/command-line.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

// What `npm publish` would send: packed from the checkout as built, looked through, and put into an empty folder; every third day by the machine's own npm.

const run = promisify(execFile);
const MIB = 1024 * 1024;
const PATIENT = { timeout: 600_000 };

let folder: TemporaryFolder;
let tarball: string;
let files: readonly string[];

/** npm as a person calls it: without what vitest's own npm has put into the environment. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS'),
  );
  const PATH = (process.env['PATH'] ?? '')
    .split(':')
    .filter((part) => !part.endsWith('/node_modules/.bin'))
    .join(':');
  return (await run('npm', [...args], { cwd, env: { ...environment, PATH }, maxBuffer: 64 * MIB })).stdout;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const [packed] = JSON.parse(
    await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path], PACKAGE_ROOT),
  ) as { filename: string; size: number; files: { path: string }[] }[];
  tarball = join(folder.path, packed?.filename ?? '');
  files = (packed?.files ?? []).map(({ path }) => path);
});

afterAll(async () => folder[Symbol.asyncDispose]());

test('holds every needed file and nothing else', async () => {
  const folders = new Set(files.map((path) => (path.includes('/') ? (path.split('/')[0] ?? '') : path)));
  expect([...folders].toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bin',
    'dist',
    'docs',
    'package.json',
    'samples',
    'templates',
  ]);
  expect(
    files.filter((path) => /\.(test|bench)\.|^docs\/measured|\.tsbuildinfo$|^dist\/.*(?<!\.d)\.ts$/.test(path)),
  ).toEqual([]);
  for (const needed of [
    'bin/inspection-batch',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/main.js',
    'dist/LICENSES.txt',
    'dist/migrations/0001-first.sql',
    'templates/attention.yaml',
    'templates/vocabulary/not-ordered.yaml',
  ]) {
    expect(files).toContain(needed);
  }
  expect(files.filter((path) => path.startsWith('samples/'))).toHaveLength(
    (await readdir(join(PACKAGE_ROOT, 'samples'), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    ).length,
  );
});

test('passes publint', async () => {
  const bytes = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('resolves types wherever it resolves code', PATIENT, async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'package:types', '--', '--format', 'json', tarball], {
    cwd: PACKAGE_ROOT,
    maxBuffer: 64 * MIB,
  }).catch((failure: unknown) => failure as { stdout: string });
  const { analysis } = JSON.parse(stdout) as {
    analysis: {
      entrypoints: Record<string, { resolutions: Record<string, { resolution?: { isTypeScript: boolean } }> }>;
      problems: { kind: string; resolutionKind?: string }[];
    };
  };
  // A package of ES modules alone, as its page says: it is not for a resolution from before 2020.
  expect(
    analysis.problems.filter(({ kind, resolutionKind }) => resolutionKind !== 'node10' && kind !== 'CJSResolvesToESM'),
  ).toEqual([]);
  expect(analysis.entrypoints['.']?.resolutions['node16-esm']?.resolution?.isTypeScript).toBe(true);
});

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as Manifest;

async function installedByNpm(home: string): Promise<void> {
  const { devDependencies } = await manifest();
  const types = `@types/node@${devDependencies['@types/node'] ?? ''}`;
  await npm(['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, types], home);
}

/** Unpacked, beside the checkout's own copies of what it depends on and of nothing else: a minute of processor time less. */
async function unpacked(home: string): Promise<void> {
  const modules = join(home, 'node_modules');
  const own = join(modules, 'inspection-batch');
  for (const path of [own, join(modules, '.bin')]) await mkdir(path, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', own]);
  await symlink('../inspection-batch/bin/inspection-batch', join(modules, '.bin/inspection-batch'));
  for (const name of [...Object.keys((await manifest()).dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(PACKAGE_ROOT, 'node_modules', name), join(modules, name));
  }
}

/** One of them each day: the installation and the demo take longer than anything else here. */
const WAYS = [
  { put: installedByNpm, expectWell: [expectCheck] },
  { put: unpacked, expectWell: [expectWholeDemo] },
  { put: unpacked, expectWell: [expectCheck] },
];
const OF_TODAY = inProof({
  share: inTurn(WAYS, WAYS.length),
  whole: [{ put: installedByNpm, expectWell: [expectWholeDemo, expectCheck] }],
});

test.each(OF_TODAY)('type-checks, and runs its demo or a check, in an empty folder', PATIENT, async (way) => {
  const home = join(folder.path, 'empty');
  await cp(join(PACKAGE_ROOT, 'docs/examples'), home, { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  await way.put(home);
  await writeFile(
    join(home, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] },
      include: ['*.ts'],
    }),
  );
  const checked = await run(join(PACKAGE_ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: home }).catch(
    (failure: unknown) => failure as { stdout: string },
  );
  expect(checked.stdout).toBe('');
  const example = await run(process.execPath, ['lost-answer.ts'], { cwd: home });
  expect(example.stdout).toContain('Nothing is sent again.');
  for (const expectWell of way.expectWell) await expectWell(home);
});

const INSTALLED = 'node_modules/.bin/inspection-batch';

async function expectCheck(home: string): Promise<void> {
  const sample = 'node_modules/inspection-batch/samples/04-corrections.xlsx';
  const ended = await runToEnd(['check', sample, '--json'], { cwd: home, file: join(home, INSTALLED) });
  expect(ended).toMatchObject({ code: 3, signal: null });
  expect(oneDocument(ended)).toMatchObject({ files: [{ name: '04-corrections.xlsx', outcome: 'checked' }] });
}

async function expectWholeDemo(home: string): Promise<void> {
  await using demo = startCommand(['demo', '--json'], {
    cwd: home,
    file: join(home, INSTALLED),
    ownGroup: true,
  });
  const ended = await demo.ended;
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(() => process.kill(-demo.pid, 0)).toThrow(/ESRCH/);
  expect(ended.stderr.match(/^Night \d of 3, /gm)).toHaveLength(3);
  const document = oneDocument(ended);
  await expect(shapeOf(document)).toMatchFileSnapshot('../../surface/json-shapes/demo.txt');

  const { nights } = document as {
    nights: {
      delivery: { workbook: string } | null;
      orders: { created: number; unresolved: number };
      projects: { collected: number; outstanding: number; canceled: number };
    }[];
  };
  // Ordered; some back and some ordered again; the rest back but for the late ones, some canceled.
  expect(
    nights.map(({ orders, projects }) => [
      orders.created,
      orders.unresolved,
      projects.collected,
      projects.outstanding,
      projects.canceled,
    ]),
  ).toEqual([
    [94, 0, 0, 94, 0],
    [62, 0, 62, 93, 1],
    [0, 0, 126, 27, 3],
  ]);
  const sheets = await readTables(join(home, 'demo-workspace', nights.at(-1)?.delivery?.workbook ?? ''));
  for (const name of ['Overdue', 'Changes', 'Not ordered', 'Attention'])
    expect([name, (sheets.get(name)?.rows ?? []).length > 1]).toEqual([name, true]);
}

test('sbom lists dependencies as CycloneDX and marks those for development', PATIENT, async () => {
  const bill = JSON.parse(await npm(['run', '--silent', 'sbom'], PACKAGE_ROOT)) as {
    bomFormat: string;
    metadata: { component: { purl: string } };
    components: { name: string; properties?: { name: string }[] }[];
  };
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: expect.stringMatching(/^pkg:npm\/inspection-batch@/) } },
  });
  // A tool for development may need another version of a dependency.
  const isForDevelopment = new Map<string, boolean>();
  for (const { name, properties = [] } of bill.components)
    isForDevelopment.set(
      name,
      isForDevelopment.get(name) !== false &&
        properties.some((property) => property.name === 'cdx:npm:package:development'),
    );
  const { dependencies } = await manifest();
  expect(Object.keys(dependencies).filter((name) => isForDevelopment.get(name) !== false)).toEqual([]);
  expect(isForDevelopment.get('vitest')).toBe(true);
});
