import type { CreateProjectRequest } from '../contract/project.ts';
import type { ProjectRecord } from './journal.ts';
import type { Project, SetStatus } from './project-store.ts';

/**
 * A project in memory. Its request is kept as text: a million of them weigh a third of what they would as objects, and leave the garbage
 * collector nothing to walk through.
 */
export class StoredProject implements Project {
  readonly index: number;
  readonly id: bigint;
  readonly actor: string;
  readonly createdAt: number;
  policyNumber: string | undefined;
  policyEffectiveDate: string | undefined;
  bundled: boolean;
  statusesSet: readonly SetStatus[];
  readonly #requestText: string;

  constructor(id: bigint, record: ProjectRecord) {
    this.index = record.index;
    this.id = id;
    this.actor = record.actor;
    this.createdAt = record.createdAt;
    this.policyNumber = record.keys.policyNumber;
    this.policyEffectiveDate = record.keys.policyEffectiveDate;
    this.bundled = record.bundled;
    this.statusesSet = record.statusesSet;
    this.#requestText = record.requestText;
  }

  get request(): CreateProjectRequest {
    return JSON.parse(this.#requestText) as CreateProjectRequest;
  }
}
