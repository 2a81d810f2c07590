import { createHash } from 'node:crypto';
import type { Client, SFTPWrapper } from 'ssh2';
import { stringifyExactJson } from '../../contract/json.ts';
import type { StateDatabase } from '../data-file.ts';
import type { Deliverables } from '../deliverables/deliverables.ts';
import { reportsOf } from '../deliverables/inspection.ts';
import type { SftpSettings, SftpTarget } from '../options.ts';
import { CLOSED_OUT } from '../progress.ts';
import type { Project, ProjectStore } from '../project-store.ts';

const DELIVERED_STATUSES = ['Returned to Client', CLOSED_OUT] as const;
const PAGE = 500;

export class SftpDelivery {
  readonly #settings: SftpSettings;
  readonly #projects: ProjectStore;
  readonly #deliverables: Deliverables;
  readonly #folder: RemoteFolder;
  readonly #delivered: Map<string, readonly string[]>;
  /** Each failure is tried again. */
  readonly report = { files: 0, projects: 0, received: 0, failures: 0, lastFailure: null as string | null };
  #rounds: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(settings: SftpSettings, projects: ProjectStore, deliverables: Deliverables, database: StateDatabase) {
    this.#settings = settings;
    this.#projects = projects;
    this.#deliverables = deliverables;
    this.#folder = new RemoteFolder(settings.target);
    const onRecord = database.value('sftp deliveries') as Readonly<Record<string, readonly string[]>> | undefined;
    this.#delivered = new Map(Object.entries(onRecord ?? {}));
    database.keep('sftp deliveries', () => Object.fromEntries(this.#delivered));
  }

  /** Runs one round after any current one. Failures go into the report. */
  async check(): Promise<void> {
    const round = this.#rounds.then(async () => await this.#round());
    this.#rounds = round;
    await round;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#folder.close();
    await this.#rounds;
  }

  async #round() {
    if (this.#closed) return;
    try {
      this.#forgetWhatMovedOn();
      for (const project of this.#ready()) await this.#deliver(project);
      if (this.#settings.autoReceived && this.#delivered.size > 0) await this.#receiveWhatIsGone();
    } catch (failure) {
      if (this.#closed) return;
      this.report.failures += 1;
      this.report.lastFailure = failure instanceof Error ? failure.message : String(failure);
      await this.#folder.close();
    }
  }

  async #deliver(project: Project) {
    const files = await deliveredFiles(project, this.#deliverables);
    for (const { name, bytes } of files) {
      await this.#folder.put(name, bytes);
      this.report.files += 1;
    }
    this.#delivered.set(
      String(project.id),
      files.map(({ name }) => name),
    );
    this.report.projects += 1;
  }

  async #receiveWhatIsGone() {
    const present = await this.#folder.names();
    for (const [id, names] of this.#delivered) {
      const project = this.#projects.find(BigInt(id));
      if (project === undefined || names.every((name) => present.has(name))) continue;
      // The client may have set it already; a closed-out project has no such transition.
      if (this.#projects.statusOf(project) !== 'Returned to Client') continue;
      this.#projects.setStatus(project, 'Client Received', 'sftp');
      this.#delivered.delete(id);
      this.report.received += 1;
    }
  }

  #forgetWhatMovedOn() {
    for (const id of this.#delivered.keys()) {
      const project = this.#projects.find(BigInt(id));
      const status = project === undefined ? undefined : this.#projects.statusOf(project);
      if (!DELIVERED_STATUSES.some((delivered) => delivered === status)) this.#delivered.delete(id);
    }
  }

  *#ready(): Generator<Project> {
    for (const status of DELIVERED_STATUSES) {
      let startId = 0n;
      for (;;) {
        const page = this.#projects.search({ status, startId, limit: PAGE, includeBundles: true });
        yield* page.filter(({ id }) => !this.#delivered.has(String(id)));
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) break;
        startId = last.id + 1n;
      }
    }
  }
}

async function deliveredFiles(project: Project, deliverables: Deliverables) {
  const inspection = deliverables.offered(project);
  const report = inspection && reportsOf(inspection).find(({ format }) => format === 'pdf');
  if (inspection === undefined || report === undefined) return [];
  const stem = deliveredStem(project);
  return [
    { name: `${stem}.pdf`, bytes: await deliverables.reportFile(inspection, report, false) },
    {
      name: `${stem}.json`,
      bytes: Buffer.from(stringifyExactJson({ report: [deliverables.summary(inspection, report)] })),
    },
  ];
}

/** Document: `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}`; the date as month, day and year in UTC. */
export function deliveredStem({
  id,
  policyNumber = '',
  createdAt,
}: Pick<Project, 'id' | 'policyNumber' | 'createdAt'>): string {
  const [year = '', month = '', day = ''] = new Date(createdAt).toISOString().slice(0, 10).split('-');
  const policy = policyNumber
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '-')
    .replace(/^\.+/, '')
    .slice(0, 100);
  return `${policy}_${id}_${month}${day}${year}`;
}

const KEEP_ALIVE_MS = 10_000;

interface Session {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
  /** Rejects when the connection ends: later requests would never be answered. */
  readonly ended: Promise<never>;
}

export class RemoteFolder {
  readonly #target: SftpTarget;
  #session: Promise<Session> | undefined;

  constructor(target: SftpTarget) {
    this.#target = target;
  }

  /** Readers never see a part of a file. */
  async put(name: string, bytes: Buffer): Promise<void> {
    const { sftp, ended } = await this.#connected();
    const step = async (start: Start) => await Promise.race([done(start), ended]);
    const [partial, whole] = [this.#path(`.${name}.part`), this.#path(name)];
    await step((callback) => sftp.writeFile(partial, bytes, callback));
    // SFTP's own rename does not replace; OpenSSH's extension does, in one step.
    if (await succeeded(step((callback) => sftp.ext_openssh_rename(partial, whole, callback)))) return;
    await succeeded(step((callback) => sftp.unlink(whole, callback)));
    await step((callback) => sftp.rename(partial, whole, callback));
  }

  async names(): Promise<Set<string>> {
    const { sftp, ended } = await this.#connected();
    const listing = new Promise<readonly { readonly filename: string }[]>((resolve, reject) => {
      sftp.readdir(this.#target.folder, (failure, list) => (failure === undefined ? resolve(list) : reject(failure)));
    });
    const entries = await Promise.race([listing, ended]);
    return new Set(entries.map(({ filename }) => filename));
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      ({ client }) => client.destroy(),
      () => undefined,
    );
  }

  #path(name: string) {
    return `${this.#target.folder.replace(/\/$/, '')}/${name}`;
  }

  async #connected(): Promise<Session> {
    // A connection that ends late must not end its successor.
    const session = (this.#session ??= this.#connect(() => {
      if (this.#session === session) this.#session = undefined;
    }));
    return await session;
  }

  async #connect(onEnd: () => void): Promise<Session> {
    const { Client } = await import('ssh2');
    const client = new Client();
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    ended.catch(onEnd);
    const { host, port, user, password, privateKey, hostKey } = this.#target;
    return await new Promise<Session>((resolve, reject) => {
      ended.catch(reject);
      client.on('error', end);
      client.on('close', () => end(new Error(`${host}:${port} ended the connection`)));
      client.on('ready', () => {
        client.sftp((failure, sftp) => (failure === undefined ? resolve({ client, sftp, ended }) : reject(failure)));
      });
      client.connect({
        host,
        port,
        username: user,
        keepaliveInterval: KEEP_ALIVE_MS,
        hostVerifier: (key: Buffer) => hostKey === undefined || fingerprintOf(key) === hostKey,
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
      });
      client.setNoDelay(true);
    });
  }
}

function fingerprintOf(key: Buffer) {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

type Start = (callback: (failure?: Error | null) => void) => void;

async function succeeded(step: Promise<void>) {
  try {
    await step;
    return true;
  } catch {
    return false;
  }
}

async function done(start: Start) {
  await new Promise<void>((resolve, reject) => {
    start((failure) => (failure ? reject(failure) : resolve()));
  });
}
