import { once } from 'node:events';
import { defaultCredentials, type SandboxCredentials, type SandboxOptions } from '../sandbox/options.ts';
import { environmentLines } from '../sandbox/env-lines.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { type CommandResult, EXIT } from './result.ts';

/** Serves until it is stopped. Prints the variables that lead a client to it, once, as soon as it listens. */
export async function sandboxCommand(options: SandboxOptions, json: boolean): Promise<CommandResult> {
  const sandbox = await startSandbox({ ...options, credentials: credentialsFrom(process.env, options.environment ?? 'staging') });
  const { baseUrl, filesUrl, controlUrl, credentials } = sandbox;
  const abort = new AbortController();
  const stopped = Promise.race([once(process, 'SIGINT', abort), once(process, 'SIGTERM', abort)]);
  process.stdout.write(json ? `${JSON.stringify({ baseUrl, filesUrl, controlUrl, credentials })}\n` : environmentLines(sandbox));
  process.stderr.write('The sandbox is serving. Stop it with Ctrl-C.\n');
  await stopped;
  abort.abort();
  await sandbox.close();
  return { exitCode: EXIT.done, text: '', json: undefined };
}

/** Credentials given in the environment are the ones it accepts; whatever is not given keeps the sandbox's own. */
function credentialsFrom(environment: NodeJS.ProcessEnv, name: 'staging' | 'production'): SandboxCredentials {
  const byDefault = defaultCredentials(name);
  return {
    clientId: environment['INSPECTION_CLIENT_ID'] || byDefault.clientId,
    clientSecret: environment['INSPECTION_CLIENT_SECRET'] || byDefault.clientSecret,
    username: environment['INSPECTION_USERNAME'] || byDefault.username,
    password: environment['INSPECTION_PASSWORD'] || byDefault.password,
  };
}
