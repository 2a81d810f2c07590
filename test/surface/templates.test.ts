import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { buildProgram } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/night/exit-codes.ts';
import { writeMetrics } from '../../src/night/metrics.ts';
import { loadEnvironment } from '../../src/ops/environment.ts';
import { parseConfig } from '../../src/ops/config.ts';
import { workspaceAt } from '../../src/ops/workspace.ts';
import { ledgerPathOf } from '../../src/upkeep/ledger-place.ts';
import { neededProgram } from '../end-to-end/needed-program.ts';
import { PACKAGE_ROOT } from '../support/command-line.ts';
import { openLedgerBench } from '../support/run-bench.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const templateText = (name: string): string => readFileSync(join(PACKAGE_ROOT, 'templates', name), 'utf8');

/** Fails where this is no command line of ours. */
async function expectCommandLine(args: readonly string[]): Promise<void> {
  const called: string[] = [];
  const program = buildProgram(async () => void called.push('called'), '0.0.0');
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr: () => {} });
  await program.parseAsync([...args], { from: 'user' });
  expect(called).toEqual(['called']);
}

/** Fails where a run with these variables, each naming a file that is there, would lack a credential. */
async function expectCredentials(variables: Readonly<Record<string, string>>, files: readonly string[]): Promise<void> {
  await using folder = await temporaryFolder();
  const given: Record<string, string> = { INSPECTION_BASE_URL: 'https://inspections.example.com' };
  for (const [name, path] of Object.entries(variables).filter(([each]) => each.endsWith('_FILE'))) {
    const [file = ''] = path.split('/').slice(-1);
    expect(files).toContain(file);
    given[name] = join(folder.path, file);
    await writeFile(given[name], `value of ${file}\n`);
  }
  await loadEnvironment(folder.path, parseConfig('', 'config.yaml'), given);
}

describe('systemd templates', () => {
  const analyze = neededProgram('systemd-analyze');
  const valuesIn =
    (unit: string) =>
    (key: string): readonly string[] =>
      [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  test.each(['inspection-batch', 'inspection-batch-worker'])(
    '%s.service calls an existing command with the credentials it loads',
    async (name) => {
      const values = valuesIn(templateText(`systemd/${name}.service`));
      const [start = ''] = values('ExecStart');
      expect(start).toMatch(/^\/opt\/inspection-batch\/bin\/inspection-batch /);
      await expectCommandLine(start.split(' ').slice(1));
      await expectCredentials(
        Object.fromEntries(values('Environment').map((each) => each.split('=') as [string, string])),
        values('LoadCredential').map((each) => each.split(':')[0] ?? ''),
      );
    },
  );

  test('decides for every exit code whether to run again', () => {
    const nightly = valuesIn(templateText('systemd/inspection-batch.service'));
    expect(nightly('SuccessExitStatus')).toEqual([`${EXIT.news} ${EXIT.locked}`]);
    expect(nightly('RestartPreventExitStatus')).toEqual([`${EXIT.fault} ${EXIT.usage}`]);
    // A worker ends by SIGTERM; a fault starts it again, since the night needs it.
    const worker = valuesIn(templateText('systemd/inspection-batch-worker.service'));
    expect([worker('SuccessExitStatus'), worker('Restart'), worker('RestartPreventExitStatus')]).toEqual([
      [`${EXIT.SIGTERM}`],
      ['on-failure'],
      [`${EXIT.usage}`],
    ]);
  });

  test.skipIf(analyze.mayBeSkipped)(`${analyze.note}passes systemd-analyze, with an exposure under 2.0`, async () => {
    await using folder = await temporaryFolder();
    const units = ['inspection-batch.service', 'inspection-batch-worker.service', 'inspection-batch.timer'];
    for (const name of units)
      await writeFile(
        join(folder.path, name),
        templateText(`systemd/${name}`).replaceAll('/opt/inspection-batch', () => PACKAGE_ROOT),
      );
    expect(
      spawnSync(analyze.path, ['verify', '--man=no', ...units.map((name) => join(folder.path, name))], {
        encoding: 'utf8',
      }),
    ).toMatchObject({ status: 0, stderr: '' });
    for (const service of units.slice(0, 2))
      execFileSync(analyze.path, ['security', '--offline=true', '--threshold=20', join(folder.path, service)], {
        stdio: 'pipe',
      });
  });
});

describe('container template', () => {
  const lines = templateText('container/Containerfile').split('\n');
  const listOf = (instruction: string): readonly string[] =>
    JSON.parse(/\[.*\]/.exec(lines.find((line) => line.startsWith(instruction)) ?? '')?.[0] ?? '[]') as string[];

  test('calls existing commands, not as root', async () => {
    expect(listOf('ENTRYPOINT')).toEqual(['inspection-batch']);
    await expectCommandLine(listOf('CMD'));
    const [program, ...args] = listOf('HEALTHCHECK');
    expect(program).toBe('inspection-batch');
    await expectCommandLine(args);
    expect(lines.find((line) => line.startsWith('USER'))).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
  });

  test('copies existing files, all that a build reads', async () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.filter((path) => !existsSync(join(PACKAGE_ROOT, path)))).toEqual([]);
    const read = [
      await readFile(join(PACKAGE_ROOT, 'scripts/build.ts'), 'utf8'),
      templateText('../scripts/man-page.ts'),
    ]
      .join('')
      .matchAll(/join\(root, '(?!dist|node_modules)([^']+)'\)/g);
    expect(
      [...read].filter(([, path = '']) => !copied.some((each) => path === each || path.startsWith(`${each}/`))),
    ).toEqual([]);
  });
});

interface CronJob {
  readonly spec: {
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: {
        readonly podFailurePolicy: {
          readonly rules: readonly { readonly onExitCodes: { readonly values: readonly number[] } }[];
        };
        readonly template: { readonly spec: Pod };
      };
    };
  };
}
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: Pod & { readonly terminationGracePeriodSeconds: number };
    };
  };
}
interface Pod {
  readonly hostname?: string;
  readonly securityContext: { readonly runAsUser: number };
  readonly containers: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly volumeMounts: readonly { readonly name: string }[];
    readonly securityContext: object;
  }[];
  readonly volumes: readonly { readonly name: string }[];
}

test('kubernetes cronjob.yaml runs one job at a time, with mounted credentials', async () => {
  // Its host name is fixed, and its command exists.
  const [secret, claim, cron] = parseAllDocuments(templateText('kubernetes/cronjob.yaml')).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS() as { readonly kind: string; readonly stringData?: object };
  });
  expect([secret, claim, cron].map((document) => document?.kind)).toEqual([
    'Secret',
    'PersistentVolumeClaim',
    'CronJob',
  ]);
  const { spec } = cron as unknown as CronJob;
  const job = spec.jobTemplate.spec;
  expect(spec.concurrencyPolicy).toBe('Forbid');
  expect(job.template.spec.hostname).toBeDefined();
  expect(job.podFailurePolicy.rules[0]?.onExitCodes.values).toEqual([EXIT.fault, EXIT.usage, EXIT.news, EXIT.locked]);
  await expectPod(job.template.spec, Object.keys(secret?.stringData ?? {}));
});

test("kubernetes worker.yaml gives workers the job's credentials, ledger URL and time", async () => {
  const [document = expect.unreachable()] = parseAllDocuments(templateText('kubernetes/worker.yaml'));
  expect([...document.errors, ...document.warnings]).toEqual([]);
  const { kind, spec } = document.toJS() as Deployment;
  const { metadata, spec: pod } = spec.template;
  expect([kind, metadata.labels, pod.terminationGracePeriodSeconds]).toEqual([
    'Deployment',
    spec.selector.matchLabels,
    300,
  ]);
  // Each replica is a host of its own.
  expect(pod.hostname).toBeUndefined();
  const [secret = expect.unreachable()] = parseAllDocuments(templateText('kubernetes/cronjob.yaml'));
  const { stringData } = secret.toJS() as { readonly stringData: object };
  await expectPod(pod, [...Object.keys(stringData), 'ledger-url']);
  expect(pod.containers[0]?.env.map(({ name }) => name)).toContain('INSPECTION_LEDGER_URL_FILE');
});

async function expectPod(pod: Pod, secrets: readonly string[]): Promise<void> {
  const [container = expect.unreachable()] = pod.containers;
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
    pod.volumes.map(({ name }) => name).toSorted(),
  );
  expect(templateText('container/Containerfile')).toContain(`USER ${pod.securityContext.runAsUser}:`);
  await expectCommandLine(container.args);
  await expectCredentials(Object.fromEntries(container.env.map(({ name, value }) => [name, value])), secrets);
}

test('prometheus templates name written metrics only', async () => {
  await using bench = await openLedgerBench();
  const { ledger, clock, folder } = bench;
  await ledger.startRun('a night', 'run');
  await ledger.finishRun('a night', EXIT.news, null);
  await ledger.startRun('a worse night', 'run');
  await ledger.finishRun('a worse night', EXIT.usage, null);
  const path = join(folder, 'inspections.prom');
  // The bench has its ledger in memory: its size is that of what lies where a workspace has it.
  const workspace = workspaceAt(folder);
  await mkdir(workspace.state, { recursive: true });
  await writeFile(ledgerPathOf(workspace), 'x'.repeat(77));
  await writeMetrics(path, { ledger, workspace, clock });
  const written = await readFile(path, 'utf8');
  const label = `workspace="${basename(folder)}"`;
  expect((await stat(path)).mode & 0o777).toBe(0o644);
  expect(written).toContain(`inspection_batch_run_exit_code{command="run",${label}} ${EXIT.usage}\n`);
  expect(written).toContain(
    `inspection_batch_run_success_timestamp_seconds{command="run",${label}} ${clock.now() / 1000}\n`,
  );
  expect(written).toContain(`inspection_batch_orders{state="unresolved",${label}} 0\n`);
  expect(written).toContain(`inspection_batch_ledger_bytes{${label}} 77\n`);
  expect(written.endsWith('# EOF\n')).toBe(true);

  const known = new Set([...written.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name));
  const alerts = parseAllDocuments(templateText('prometheus/alerts.yaml')).map(
    (document) =>
      document.toJS() as { readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[] },
  );
  const dashboard = JSON.parse(templateText('prometheus/dashboard.json')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const expressions = [
    ...alerts.flatMap(({ groups }) => groups).flatMap(({ rules }) => rules),
    ...dashboard.panels.flatMap(({ targets }) => targets),
  ].map(({ expr }) => expr);
  const named = new Set(expressions.flatMap((expr) => expr.match(/inspection_batch_\w+/g) ?? []));
  expect(named).toEqual(known);
});
