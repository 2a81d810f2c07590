import { createHmac, randomBytes } from 'node:crypto';
import { DataFile } from './data-file.ts';
import { type FilesOriginRecord, SignedUrls } from './deliverable-routes.ts';
import type { ElsewhereRecord } from './faults/fault-answers.ts';
import { RequestCounts } from './http-server.ts';
import { type SandboxOptions, type SandboxSettings, settingsOf } from './options.ts';
import { ProjectStore } from './project-store.ts';
import { OptionProblem } from './refusal.ts';
import { TokenStore } from './tokens.ts';
import { type ClockRecord, VirtualClock } from './virtual-clock.ts';

/** All state of a sandbox except faults, new or from a data file. */
export interface SandboxState {
  readonly settings: SandboxSettings;
  readonly clock: VirtualClock;
  readonly projects: ProjectStore;
  readonly tokens: TokenStore;
  readonly urls: SignedUrls;
  /** The same after a restart. */
  readonly controlToken: string;
  readonly requests: RequestCounts;
  readonly filesOrigin: FilesOriginRecord;
  readonly elsewhere: ElsewhereRecord & { origin: string };
  /** Undefined if in memory only. */
  readonly data: DataFile | undefined;
}

/**
 * Builds or restores the state. Throws TypeError for invalid options; OptionProblem if the data file cannot be used, or
 * was made with other options.
 */
export function stateOf(options: SandboxOptions): SandboxState {
  if (options.dataFile === undefined) return newState(settingsOf(options), options, undefined);
  const data = new DataFile(options.dataFile);
  try {
    return newState(courseSettings(options, options.dataFile, data), options, data);
  } catch (failure) {
    data.close();
    throw failure;
  }
}

/** The options that decide progress stay as in the file, or the past would change. */
function courseSettings(options: SandboxOptions, path: string, data: DataFile): SandboxSettings {
  const onRecord = data.value('course') as Record<string, unknown> | undefined;
  const { initialStatus: statusOnRecord, ...optionsOnRecord } = onRecord ?? {};
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = settingsOf({
    ...optionsOnRecord,
    ...given,
    notShown: { ...(typeof statusOnRecord === 'string' ? { initialStatus: statusOnRecord } : {}), ...options.notShown },
  });
  const { environment, seed, autoProgress, progressHours, canceledShare, firstProjectId, notShown } = settings;
  const { initialStatus } = notShown;
  const course: Record<string, unknown> = {
    environment,
    seed,
    autoProgress,
    progressHours,
    canceledShare,
    firstProjectId: String(firstProjectId),
    initialStatus,
  };
  if (onRecord === undefined) data.setValue('course', course);
  for (const [name, value] of Object.entries(onRecord ?? {})) {
    if (JSON.stringify(value) === JSON.stringify(course[name])) continue;
    throw new OptionProblem(
      `The data file ${path} was made with ${name} = ${JSON.stringify(value)}; it cannot go on with ${JSON.stringify(course[name])}.`,
      `Start it with that ${name}, or name another data file.`,
    );
  }
  return settings;
}

function newState(
  settings: SandboxSettings,
  { startAt, timeScale }: SandboxOptions,
  data: DataFile | undefined,
): SandboxState {
  const { firstProjectId, notShown } = settings;
  const clock = new VirtualClock({
    startAt,
    resume: data?.value('clock') as ClockRecord | undefined,
    onChange: (record) => data?.setValue('clock', record),
  });
  if (timeScale !== undefined) clock.setScale(timeScale);
  const projects = new ProjectStore({
    rules: { ...settings, initialStatus: notShown.initialStatus },
    firstId: firstProjectId,
    clock,
    keylessAreDuplicates: notShown.keylessDuplicates === 'refused',
    journal: data?.projects,
  });
  const key = keyOf(data);
  const state: SandboxState = {
    settings,
    clock,
    projects,
    tokens: new TokenStore(settings, clock, data?.tokens),
    urls: new SignedUrls(clock, key, notShown.urlLifetimeSeconds),
    controlToken: createHmac('sha256', key).update('control').digest('base64url'),
    requests: new RequestCounts(),
    filesOrigin: { authorization: 0 },
    elsewhere: { requests: 0, authorization: 0, origin: '' },
    data,
  };
  if (data !== undefined) restore(state, data);
  return state;
}

function restore({ clock, projects, tokens, requests, filesOrigin, elsewhere }: SandboxState, data: DataFile): void {
  let newest = 0;
  for (const record of data.projectRecords()) {
    projects.restore(record);
    newest = record.createdAt;
  }
  // Creation times must ascend even if the real clock was set back.
  clock.atLeast(newest);
  tokens.restore(data.tokenRecords(), data.value('tokens issued') ?? {});
  requests.restore((data.value('requests') ?? {}) as ReturnType<RequestCounts['report']>);
  Object.assign(filesOrigin, data.value('files origin'));
  Object.assign(elsewhere, data.value('elsewhere'));
  data.keep('tokens issued', () => tokens.issued);
  data.keep('requests', () => requests.report());
  data.keep('files origin', () => filesOrigin);
  data.keep('elsewhere', () => ({ requests: elsewhere.requests, authorization: elsewhere.authorization }));
}

function keyOf(data: DataFile | undefined): Buffer {
  const onRecord = data?.value('signing key');
  if (typeof onRecord === 'string') return Buffer.from(onRecord, 'base64');
  const key = randomBytes(32);
  data?.setValue('signing key', key.toString('base64'));
  return key;
}
