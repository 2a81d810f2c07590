import { createHmac, randomBytes } from 'node:crypto';
import { openStateDatabase, type StateDatabase } from './data-file.ts';
import { signUrls } from './deliverable-routes.ts';
import type { RequestCounts } from './http-server.ts';
import { type SandboxOptions, sandboxSettings } from './options.ts';
import { ProjectStore } from './project-store.ts';
import { OptionProblem } from './refusal.ts';
import { issueTokens } from './tokens.ts';
import { type ClockRecord, startClock } from './virtual-clock.ts';

export type SandboxState = Readonly<ReturnType<typeof stateIn>>;

/** Throws OptionProblem for invalid options, or a data file that is unusable or made with other options. */
export function stateOf(options: SandboxOptions): SandboxState {
  const database = openStateDatabase(options.dataFile);
  try {
    return stateIn(database, options);
  } catch (failure) {
    database.close();
    throw failure;
  }
}

/** They stay as in the file, or the past would change. */
function courseSettings(database: StateDatabase, options: SandboxOptions) {
  const onRecord = database.value('course') as Record<string, unknown> | undefined;
  const { initialStatus: statusOnRecord, ...optionsOnRecord } = onRecord ?? {};
  const settings = sandboxSettings({
    ...optionsOnRecord,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    notShown: { ...(typeof statusOnRecord === 'string' ? { initialStatus: statusOnRecord } : {}), ...options.notShown },
  });
  const { environment, seed, autoProgress, progressHours, canceledShare, firstProjectId, notShown } = settings;
  const course: Record<string, unknown> = {
    environment,
    seed,
    autoProgress,
    progressHours,
    canceledShare,
    firstProjectId: String(firstProjectId),
    initialStatus: notShown.initialStatus,
  };
  for (const [name, value] of Object.entries(onRecord ?? {})) {
    const [held, given] = [JSON.stringify(value), JSON.stringify(course[name])];
    if (held === given) continue;
    throw new OptionProblem('data-file-differs', { path: options.dataFile ?? '', name, held, given });
  }
  database.setValue('course', course);
  return settings;
}

function stateIn(database: StateDatabase, options: SandboxOptions) {
  const settings = courseSettings(database, options);
  const clock = startClock({
    startAt: options.startAt,
    resume: database.value('clock') as ClockRecord | undefined,
    onChange: (record) => database.setValue('clock', record),
  });
  if (options.timeScale !== undefined) clock.setScale(options.timeScale);
  // Creation times must ascend even if the real clock was set back.
  clock.atLeast(Number(database.get('SELECT max(createdAt) AS newest FROM project')?.['newest'] ?? 0));
  const projects = new ProjectStore({
    rules: { ...settings, initialStatus: settings.notShown.initialStatus },
    firstId: settings.firstProjectId,
    clock,
    keylessAreDuplicates: settings.notShown.keylessDuplicates === 'refused',
    database,
  });
  const key = keyOf(database);
  const kept = <Counts extends object>(name: string, counts: Counts) => {
    database.keep(name, () => counts);
    return Object.assign(counts, database.value(name));
  };
  return {
    settings,
    clock,
    projects,
    tokens: issueTokens(settings, clock, database),
    urls: signUrls(clock, key, settings.notShown.urlLifetimeSeconds),
    controlToken: createHmac('sha256', key).update('control').digest('base64url'),
    requests: kept<RequestCounts>('requests', {}),
    filesOrigin: kept('files origin', { authorization: 0 }),
    elsewhere: kept('elsewhere', { requests: 0, authorization: 0, origin: '' }),
    database,
  };
}

function keyOf(database: StateDatabase) {
  const onRecord = database.value('signing key');
  if (typeof onRecord === 'string') return Buffer.from(onRecord, 'base64');
  const key = randomBytes(32);
  database.setValue('signing key', key.toString('base64'));
  return key;
}
