import type { Clock, Log, Random, Sleep } from '../domain/ports.ts';
import type { OrderPayload } from '../domain/row.ts';
import type { ProjectDetail, ProjectSearchItem, UpdateProjectRequest } from '../contract/project.ts';
import type { ImageReference, ReportReference, ReportSummary } from '../contract/report.ts';
import type { StatusUpdateRequest } from '../contract/status.ts';
import type { OpenFile } from './open-file.ts';
import type { CreateOutcome, ReadOutcome } from './outcome.ts';

export interface ServiceClientOptions {
  /** https, or http to loopback; without `/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Log;
  /** How long to wait for an answer once the request is out. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long each step of connecting may take. Default: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Sockets at once for each host. Default: 16. */
  readonly maxConcurrency?: number | undefined;
  /** Ends waits for a token, and reads under way, when the run is stopped; a create or an update that was sent is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/** What POST /v1/project is given. What the service does with duplicates is always said: its own default orders twice (READING 2). */
export type CreatePayload = OrderPayload & { readonly allowDuplication: boolean };

/** Ends a read at once; the promise then rejects with the signal's reason. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** GET /v1/project (document: search query parameters). The unit of the times is not shown. */
export interface ProjectQuery {
  readonly status?: string | undefined;
  readonly policyNumber?: string | undefined;
  readonly inspectionNumber?: string | undefined;
  readonly serviceName?: string | undefined;
  /** Inclusive. */
  readonly createdTimeStart?: number | undefined;
  /** Exclusive. */
  readonly createdTimeEnd?: number | undefined;
  /** Inclusive, digits. */
  readonly startId?: string | undefined;
  /** 0 … 500; the service's default is 100. */
  readonly limit?: number | undefined;
  readonly includeBundleProjects?: boolean | undefined;
}

export interface ProjectStatus {
  readonly id: string;
  readonly status: string;
}

export interface UpdatedProject {
  readonly id: string;
  readonly policyNumber?: string | null | undefined;
  readonly policyEffectiveDate?: string | null | undefined;
}

/** A summary as it came, byte for byte, and as it reads. */
export interface RawSummary {
  readonly bytes: Buffer;
  readonly report: ReportSummary;
}

/**
 * The service, typed. Ids are digits as text. Every method sends once, or once more after a 401; repeating is the caller's, by `repeatRead` and
 * `retryDelay`. Every method may throw ExplainedError when no token is to be had (2: credentials, 4: away); then its request was not handled.
 */
export interface ServiceClient {
  /** A short key of the account: origin, client id and user name. */
  readonly account: string;
  /** POST /v1/project. What it throws, it throws before the create was sent, or after a 401 that proves it was not handled. */
  createProject(payload: CreatePayload): Promise<CreateOutcome>;
  getProject(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectDetail>>;
  /** An empty text clears a field; a field left out stays. */
  updateProject(projectId: string, body: UpdateProjectRequest): Promise<ReadOutcome<UpdatedProject>>;
  getStatus(projectId: string, options?: ReadOptions): Promise<ReadOutcome<ProjectStatus>>;
  /** The status afterwards. After `transient` it may have been done: `getStatus` tells. */
  putStatus(projectId: string, body: StatusUpdateRequest): Promise<ReadOutcome<ProjectStatus>>;
  /** One page, by id ascending. Only an empty page is the last. */
  searchProjects(query: ProjectQuery, options?: ReadOptions): Promise<ReadOutcome<readonly ProjectSearchItem[]>>;
  listReports(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ReportReference[]>>;
  getReportSummary(reportId: string, options?: ReadOptions): Promise<ReadOutcome<RawSummary>>;
  listImages(projectId: string, options?: ReadOptions): Promise<ReadOutcome<readonly ImageReference[]>>;
  /** Redirects are followed by hand, without the token elsewhere. The stream is to be read to its end or destroyed. */
  openReportFile(reportId: string, options?: ReadOptions & { readonly compressed?: boolean }): Promise<ReadOutcome<OpenFile>>;
  openImageFile(imageId: string, options?: ReadOptions): Promise<ReadOutcome<OpenFile>>;
  /** Closes every socket, also those in use. */
  close(): void;
}
