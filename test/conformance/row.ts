import type { SandboxOptions } from '../../src/sandbox/options.ts';
import type { TestClient } from '../support/sandbox/test-client.ts';

/** A sentence of the service's document, and the test that holds the sandbox to it over HTTP. */
export interface Row {
  /** Unique, and lasting: others refer to it. */
  readonly id: string;
  /** The document's own words; of a table, the line. */
  readonly sentence: string;
  /** What the test shows, as a fact. */
  readonly fact: string;
  /** How its sandbox is started; each row has one of its own. */
  readonly options?: SandboxOptions;
  /** Throws where the sandbox does otherwise. */
  readonly check: (client: TestClient) => Promise<void>;
}

/** A sentence that no test of the sandbox can hold it to, and why. */
export interface Untestable {
  readonly id: string;
  readonly sentence: string;
  readonly reason: string;
}

/** A part of the document. */
export interface Part {
  readonly title: string;
  /** The file of its tests. */
  readonly file: string;
  readonly rows: readonly Row[];
  readonly untestable: readonly Untestable[];
}
