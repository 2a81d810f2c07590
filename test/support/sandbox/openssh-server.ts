import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { UploadTarget } from '../../../src/sandbox/options.ts';
import { waitUntil } from '../wait-until.ts';
import { readableKeyPair } from './key-pair.ts';

/** OpenSSH's server on loopback, with keys and a configuration of its own. Disposing of it stops it and removes all that. */
export interface OpenSshServer extends AsyncDisposable {
  readonly target: UploadTarget;
  /** Where the delivered files lie on this machine. */
  readonly folder: string;
}

const SSHD = '/usr/sbin/sshd';
/** Where root's sshd changes its root to; a service manager makes it, and many a container has none. */
const PRIVILEGE_FOLDER = '/run/sshd';

/** What this machine lacks for an OpenSSH server, in the words of a skipped test; empty where it has all, or where no test may be skipped. */
export function missingForOpenSsh(mayNotBeSkipped: boolean): string {
  if (mayNotBeSkipped) return '';
  if (!existsSync(SSHD)) return 'skipped: needs openssh-server: ';
  return userInfo().uid !== 0 || isPrivilegeFolderThere() ? '' : `skipped: needs the folder ${PRIVILEGE_FOLDER}: `;
}

function isPrivilegeFolderThere(): boolean {
  try {
    mkdirSync(PRIVILEGE_FOLDER, { recursive: true, mode: 0o755 });
    return true;
  } catch {
    return false;
  }
}

/** Starts `sshd` in the foreground for whoever runs the tests. Throws where it does not start, with what it said. */
export async function startOpenSshServer(): Promise<OpenSshServer> {
  for (;;) {
    try {
      return await startAt(await freePort());
    } catch (failure) {
      // Another process took the port meanwhile.
      if (!String(failure).includes('Address already in use')) throw failure;
    }
  }
}

async function startAt(port: number): Promise<OpenSshServer> {
  const home = mkdtempSync(join(tmpdir(), 'openssh-'));
  const folder = join(home, 'incoming');
  mkdirSync(folder);
  const [host, client] = [readableKeyPair(), readableKeyPair()];
  writeFileSync(join(home, 'host_key'), host.private, { mode: 0o600 });
  writeFileSync(join(home, 'authorized_keys'), `${client.public}\n`, { mode: 0o600 });
  chmodSync(home, 0o700);
  const config = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: join(home, 'host_key'),
    AuthorizedKeysFile: join(home, 'authorized_keys'),
    PidFile: 'none',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    PermitRootLogin: 'prohibit-password',
    // The keys lie in a temporary folder, which belongs to everybody.
    StrictModes: 'no',
    Subsystem: 'sftp internal-sftp',
  };
  writeFileSync(
    join(home, 'sshd_config'),
    Object.entries(config)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  if (userInfo().uid === 0) isPrivilegeFolderThere();
  execFileSync(SSHD, ['-t', '-f', join(home, 'sshd_config')]);
  const log = join(home, 'log');
  const server = spawn(SSHD, ['-D', '-f', join(home, 'sshd_config'), '-E', log], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  await waitUntil('sshd', () => {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${readLog(log)}`);
    return readLog(log).includes('Server listening');
  });
  return {
    folder,
    target: { host: '127.0.0.1', port, user: userInfo().username, privateKey: client.private, folder },
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
