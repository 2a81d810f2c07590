import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { messageOf, usageError, hasCode, usageErrorOf } from '../domain/errors.ts';
import { parseChoices } from '../sandbox/unspecified.ts';
import { isLoopback } from '../domain/service-address.ts';
import { sentence } from '../domain/sentences.ts';
import { defaultCredentials, type SandboxOptions, parseUploadTarget, parseUser } from '../sandbox/options.ts';
import { OptionProblem } from '../sandbox/refusal.ts';
import { environmentLines, startSandbox } from '../sandbox/sandbox.ts';
import { EXIT } from '../night/exit-codes.ts';

export async function sandboxCommand(options: SandboxOptions, json: boolean, flags: TextFlags = {}) {
  const sandbox = await started(options, flags);
  const { baseUrl, filesUrl, controlUrl, credentials } = sandbox;
  const abort = new AbortController();
  const stopped = Promise.race([once(process, 'SIGINT', abort), once(process, 'SIGTERM', abort)]);
  process.stdout.write(
    json ? `${JSON.stringify({ baseUrl, filesUrl, controlUrl, credentials })}\n` : environmentLines(sandbox),
  );
  const { host = '127.0.0.1' } = options;
  if (!isLoopback({ hostname: host === '::1' ? '[::1]' : host }))
    process.stderr.write(sentence('sandbox/public', { host }));
  process.stderr.write('The sandbox is serving. Stop it with Ctrl-C.\n');
  await stopped;
  abort.abort();
  await sandbox.close();
  return { exitCode: EXIT.done, text: '', json: undefined };
}

export type TextFlags = Readonly<{
  sftp?: string | undefined;
  sftpHostKey?: string | undefined;
  user?: readonly string[] | undefined;
  option?: readonly string[] | undefined;
}>;

async function started(options: SandboxOptions, { user = [], option = [], ...sftp }: TextFlags) {
  try {
    return await startSandbox({
      ...options,
      credentials: credentialsFor(options.environment ?? 'staging'),
      otherUsers: user.map(parseUser),
      notShown: parseChoices(option),
      sftp: await sftpTarget(sftp),
    });
  } catch (failure) {
    if (hasCode(failure, 'ERR_SOCKET_BAD_PORT', 'EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'))
      throw usageErrorOf('port-not-available', { failure: messageOf(failure) });
    if (failure instanceof OptionProblem) throw usageError('sandbox-option-wrong', failure.message, failure.hint);
    throw failure;
  }
}

/** Secrets come from the environment: others can read a command line. */
async function sftpTarget({ sftp, sftpHostKey }: TextFlags) {
  if (sftp === undefined) return undefined;
  const keyFile = process.env['INSPECTION_SANDBOX_SFTP_KEY_FILE'];
  return parseUploadTarget(sftp, {
    password: process.env['INSPECTION_SANDBOX_SFTP_PASSWORD'] || undefined,
    privateKey: keyFile ? await privateKeyIn(keyFile) : undefined,
    hostKey: sftpHostKey,
  });
}

async function privateKeyIn(path: string) {
  try {
    return await readFile(path, 'utf8');
  } catch (failure) {
    throw new OptionProblem('sftp-key', { why: messageOf(failure) });
  }
}

function credentialsFor(name: 'staging' | 'production') {
  const byDefault = defaultCredentials(name);
  return {
    clientId: process.env['INSPECTION_CLIENT_ID'] || byDefault.clientId,
    clientSecret: process.env['INSPECTION_CLIENT_SECRET'] || byDefault.clientSecret,
    username: process.env['INSPECTION_USERNAME'] || byDefault.username,
    password: process.env['INSPECTION_PASSWORD'] || byDefault.password,
  };
}
