import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Client, SFTPWrapper } from 'ssh2';
import { stringifyExactJson } from '../../contract/json.ts';
import type { StateDatabase } from '../data-file.ts';
import type { Deliverables } from '../deliverables/deliverables.ts';
import { reportsOf } from '../deliverables/inspection.ts';
import type { SftpSettings, UploadTarget } from '../options.ts';
import { CLOSED_OUT } from '../progress.ts';
import type { Project, ProjectStore } from '../project-store.ts';

const DELIVERED_STATUSES = ['Returned to Client', CLOSED_OUT] as const;
const PAGE = 500;

export type SftpDelivery = ReturnType<typeof deliverBySftp>;

export function deliverBySftp(
  { target, autoReceived }: SftpSettings,
  projects: ProjectStore,
  deliverables: Deliverables,
  database: StateDatabase,
) {
  const report = { files: 0, projects: 0, received: 0, failures: 0, lastFailure: null as string | null };
  const folder = new UploadFolder(target);
  const onRecord = database.value('sftp deliveries') as Readonly<Record<string, readonly string[]>> | undefined;
  const delivered = new Map(Object.entries(onRecord ?? {}));
  database.keep('sftp deliveries', () => Object.fromEntries(delivered));
  let rounds = Promise.resolve();
  let closed = false;

  const round = async () => {
    if (closed) return;
    try {
      forgetWhatMovedOn();
      for (const project of ready()) await deliver(project);
      if (autoReceived && delivered.size > 0) await receiveWhatIsGone();
    } catch (failure) {
      if (closed) return;
      report.failures += 1;
      report.lastFailure = failure instanceof Error ? failure.message : String(failure);
      await folder.close();
    }
  };

  async function deliver(project: Project) {
    const files = await deliveredFiles(project, deliverables);
    for (const [name, bytes] of files) {
      await folder.put(name, bytes);
      report.files += 1;
    }
    delivered.set(String(project.id), [...files.keys()]);
    report.projects += 1;
  }

  async function receiveWhatIsGone() {
    const present = await folder.names();
    for (const [id, names] of delivered) {
      const project = projects.find(BigInt(id));
      if (project === undefined || names.every((name) => present.has(name))) continue;
      // The client may have set it already; a closed-out project has no such transition.
      if (projects.statusOf(project) !== 'Returned to Client') continue;
      projects.setStatus(project, 'Client Received', 'sftp');
      delivered.delete(id);
      report.received += 1;
    }
  }

  function forgetWhatMovedOn() {
    for (const id of delivered.keys()) {
      const project = projects.find(BigInt(id));
      const status = project && projects.statusOf(project);
      if (!DELIVERED_STATUSES.some((each) => each === status)) delivered.delete(id);
    }
  }

  function* ready() {
    for (const status of DELIVERED_STATUSES) {
      for (let startId: bigint | undefined = 0n; startId !== undefined;) {
        const page: Project[] = projects.search({ status, startId, limit: PAGE, includeBundles: true });
        yield* page.filter(({ id }) => !delivered.has(String(id)));
        const last = page[PAGE - 1];
        startId = last && last.id + 1n;
      }
    }
  }

  return {
    report,

    async check() {
      rounds = rounds.then(round);
      await rounds;
    },

    async close() {
      closed = true;
      await folder.close();
      await rounds;
    },
  };
}

async function deliveredFiles(project: Project, deliverables: Deliverables) {
  const inspection = deliverables.offered(project);
  const report = inspection && reportsOf(inspection).find(({ format }) => format === 'pdf');
  if (inspection === undefined || report === undefined) return new Map();
  const stem = deliveredStem(project);
  return new Map([
    [`${stem}.pdf`, await deliverables.reportFile(inspection, report, false)],
    [`${stem}.json`, Buffer.from(stringifyExactJson({ report: [deliverables.summary(inspection, report)] }))],
  ]);
}

/** Document: `{POLICY_NUMBER}_{PROJECT_ID}_{INSPECTION_ORDERED_DATE}`; the date as month, day and year in UTC. */
export function deliveredStem({
  id,
  policyNumber = '',
  createdAt,
}: Pick<Project, 'id' | 'policyNumber' | 'createdAt'>) {
  const [year = '', month = '', day = ''] = new Date(createdAt).toISOString().slice(0, 10).split('-');
  const policy = policyNumber
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '-')
    .replace(/^\.+/, '')
    .slice(0, 100);
  return `${policy}_${id}_${month}${day}${year}`;
}

const KEEP_ALIVE_MS = 10_000;

type Session = Readonly<{
  client: Client;
  sftp: SFTPWrapper;
  /** Rejects when the connection ends: later requests would never be answered. */
  ended: Promise<never>;
}>;

export class UploadFolder {
  readonly #target;
  #session: Promise<Session> | undefined;

  constructor(target: UploadTarget) {
    this.#target = target;
  }

  /** Readers never see a part of a file. */
  async put(name: string, bytes: Buffer) {
    const { sftp, ended } = await this.#connected();
    const step = (start: (done: (failure?: Error | null) => void) => void) => Promise.race([promisify(start)(), ended]);
    const [partial, whole] = [this.#path(`.${name}.part`), this.#path(name)];
    await step((done) => sftp.writeFile(partial, bytes, done));
    try {
      // SFTP's own rename does not replace; OpenSSH's extension does, in one step.
      await step((done) => sftp.ext_openssh_rename(partial, whole, done));
    } catch {
      await step((done) => sftp.unlink(whole, done)).catch(() => {});
      await step((done) => sftp.rename(partial, whole, done));
    }
  }

  async names() {
    const { sftp, ended } = await this.#connected();
    const listing = promisify<readonly { readonly filename: string }[]>((done) =>
      sftp.readdir(this.#target.folder, done),
    );
    return new Set((await Promise.race([listing(), ended])).map(({ filename }) => filename));
  }

  async close() {
    const session = this.#session;
    this.#session = undefined;
    await session?.then(({ client }) => client.destroy()).catch(() => {});
  }

  #path(name: string) {
    return `${this.#target.folder.replace(/\/$/, '')}/${name}`;
  }

  async #connected() {
    // A connection that ends late must not end its successor.
    const session = (this.#session ??= this.#connect(() => {
      if (this.#session === session) this.#session = undefined;
    }));
    return session;
  }

  async #connect(onEnd: () => void) {
    const { Client } = await import('ssh2');
    const client = new Client();
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    ended.catch(onEnd);
    const { host, port, user, password, privateKey, hostKey } = this.#target;
    return new Promise<Session>((resolve, reject) => {
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
        hostVerifier: (key: Buffer) =>
          hostKey === undefined || `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}` === hostKey,
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
      });
      client.setNoDelay(true);
    });
  }
}
