import { describe } from 'vitest';
import { eachCommand } from '../end-to-end/each-command.ts';
import { callHere, startSandboxHere } from '../support/command-in-this-process.ts';

// Each in this process: test/proof/end-to-end/each-command.test.ts calls the built command.
eachCommand({ call: callHere, startSandbox: startSandboxHere, meanwhile: describe });
