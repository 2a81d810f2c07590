import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SftpTarget } from '../sftp/sftp-target.ts';
import { realDelay } from '../virtual-clock.ts';
import { readableKeyPair } from './key-pair.ts';

/** OpenSSH's server on loopback, with keys and a configuration of its own. Disposing of it stops it and removes all that. */
export interface OpenSshServer extends AsyncDisposable {
  readonly target: SftpTarget;
  /** Where the delivered files lie on this machine. */
  readonly folder: string;
}

/** Starts `sshd` in the foreground for whoever runs the tests. Throws where it does not start, with what it said. */
export async function startOpenSshServer(sshd: string): Promise<OpenSshServer> {
  const home = mkdtempSync(join(tmpdir(), 'openssh-'));
  const folder = join(home, 'incoming');
  mkdirSync(folder);
  const [host, client] = [readableKeyPair(), readableKeyPair()];
  writeFileSync(join(home, 'host_key'), host.private, { mode: 0o600 });
  writeFileSync(join(home, 'authorized_keys'), `${client.public}\n`, { mode: 0o600 });
  chmodSync(home, 0o700);
  const port = await freePort();
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
  writeFileSync(join(home, 'sshd_config'), Object.entries(config).map(([name, value]) => `${name} ${value}\n`).join(''));
  execFileSync(sshd, ['-t', '-f', join(home, 'sshd_config')]);
  const log = join(home, 'log');
  const server = spawn(sshd, ['-D', '-f', join(home, 'sshd_config'), '-E', log], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stopped = ended.then(() => true);
  while (!readLog(log).includes('Server listening')) {
    if ((await Promise.race([stopped, realDelay(20)])) === true) throw new Error(`sshd ended: ${readLog(log)}`);
  }
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
