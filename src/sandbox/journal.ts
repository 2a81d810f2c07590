import type { ProjectKeys } from './duplicate-index.ts';
import type { Project, SetStatus } from './project-store.ts';

/** A project as it is put on record. */
export interface ProjectRecord extends Pick<Project, 'index' | 'actor' | 'createdAt' | 'bundled' | 'statusesSet'> {
  /** As they stand now. */
  readonly keys: ProjectKeys;
  /** The create request, as JSON. */
  readonly requestText: string;
}

/** Where the project store writes down every change. A call keeps the change at once; it is on disk after the next commit. */
export interface ProjectJournal {
  created(record: ProjectRecord): void;
  /** The keys of the project at a place as they stand now. */
  changed(index: number, keys: ProjectKeys): void;
  bundled(index: number, bundled: boolean): void;
  /** `number`: which of the project's statuses it is, from 1. */
  statusSet(index: number, set: SetStatus, number: number): void;
}

/** A token, whom it stands for, and until when, in milliseconds since the UNIX epoch. */
export interface TokenRecord {
  readonly kind: 'access' | 'refresh';
  readonly token: string;
  readonly actor: string;
  readonly expiresAt: number;
}

/** Where the token store writes down every change. */
export interface TokenJournal {
  issued(record: TokenRecord): void;
  /** Used up or expired. */
  ended(token: string): void;
}
