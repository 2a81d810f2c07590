import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { messageOf } from '../domain/errors.ts';
import type { Clock, Log } from '../domain/ports.ts';
import { escapeLine } from '../domain/text.ts';
import { sentence } from '../domain/sentences.ts';
import type { Ledger, FileToFix, LayoutRecord, News, OutboxEntry, UnsentEntry } from '../ledger/ledger.ts';
import {
  composeCorrectionsMail,
  type NightFacts,
  composeNightMail,
  questionInMail,
  type Trouble,
  composeTroubleMail,
} from './compose-mail.ts';
import { callWebhook, type NotifyTargets, NotifyError, ping, callCommand, sendMail } from './endpoints.ts';
import { type MailText, renderHtmlMail, renderPlainMail } from './render-mail.ts';
import { describeSilence, LOOKS_BACK_DAYS, findSilentSenders } from './silent-senders.ts';

export type RunEnd = Readonly<{
  run: string;
  exitCode: number;
  /** The document of `--json`, for webhook and command. */
  summary: unknown;
  trouble: readonly string[];
  night: NightFacts | null;
  lookedIntoInbox: boolean;
}>;

export type NotifyContext = Readonly<{
  log: Log;
  newsInWords: (news: readonly News[]) => Promise<readonly string[]>;
  /** Unsent messages wait. */
  signal: AbortSignal;
}>;

/** The limit for all messages together; a mail that has begun is finished. */
const NOTIFY_MS_MAX = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS_MAX = 30 * DAY_MS;
const FAILURES_MAX = 10;
const PROJECTS_AT_ONCE = 4;
/** Mail servers refuse larger mails; a larger workbook is named by its path. */
const ATTACHED_BYTES_MAX = 15_000_000;

/** A shorter path may be a word such as `/run`, which would be redacted everywhere. */
const SECRET_PATH_LENGTH_MIN = 12;

/** Their rows are read when sent. */
const ABOUT_ROWS = new Set(['rows-went-back', 'order-refused', 'still-open', 'layout-asked']);

type AnalystFacts = Readonly<
  | {
      sender: string;
      fileIds: readonly number[];
      layoutIds?: readonly number[];
      silence?: string;
      isReminder?: boolean;
    }
  | { news: News }
  | { silence: string }
>;

/**
 * Never throws, prints, or changes a run's outcome. A message is recorded first and marked as sent when accepted: a
 * kill may repeat it but never loses it.
 */
export class Notifier {
  readonly #options;
  #started: Promise<string | null> = Promise.resolve(null);
  hasNotified = false;

  constructor(options: NotifyTargets & Readonly<{ clock: Clock; host: string }>) {
    this.#options = options;
  }

  get secrets() {
    const { notify, secrets } = this.#options;
    const addresses = [notify.webhook?.url ?? null, ...Object.values(notify.ping)].filter((url) => url !== null);
    const paths = addresses.map((url) => new URL(url).pathname).filter((path) => path.length >= SECRET_PATH_LENGTH_MIN);
    return [secrets.smtpPassword ?? '', secrets.webhookSecret ?? '', ...addresses, ...paths].filter(Boolean);
  }

  get problems() {
    return this.#options.secrets.problems;
  }

  began() {
    this.#started = this.#ping('start', new AbortController().signal);
  }

  /** Before the run's end is recorded, so that a kill loses nothing. */
  async note(end: RunEnd, ledger: Ledger, { log }: Pick<NotifyContext, 'log'>) {
    await quietly(log, async () => ledger.addToOutbox(await this.#entriesOf(end, ledger)));
  }

  async notify({ run, exitCode }: RunEnd, ledger: Ledger, context: NotifyContext) {
    this.hasNotified = true;
    await quietly(context.log, async () => {
      const signal = AbortSignal.any([AbortSignal.timeout(NOTIFY_MS_MAX), context.signal]);
      const now = this.#options.clock.now();
      const unsent = await ledger.unsentEntries();
      const tooOld = unsent.filter(({ at }) => now - at > KEPT_MS_MAX);
      if (tooOld.length > 0)
        context.log.warn('could not be sent for 30 days, and is dropped', { entries: tooOld.length });
      await ledger.endEntries(tooOld.map(({ id }) => id));
      const entries = unsent.filter((entry) => !tooOld.includes(entry));
      const call: Notifying = { ...context, entries, ledger, signal, stopSignal: context.signal };
      const problems = await Promise.all([
        this.#started,
        this.#endPing(exitCode, signal),
        this.#notifyPrograms('webhook', call),
        this.#notifyPrograms('command', call),
      ]);
      // Engineers learn of a dead endpoint when mail works.
      const trouble = [...problems.filter((problem) => problem !== null), ...this.problems];
      for (const problem of trouble) context.log.warn('not sent', { problem });
      await ledger.addToOutbox(this.#troubleEntries({ run, at: now, exitCode, lines: trouble }, 'telling'));
      const refused = await this.#notifyByMail({ ...call, entries: await ledger.unsentEntries() });
      const problem = await this.#notifyPrograms('webhook.projects', call);
      if (problem !== null) context.log.warn('not sent', { problem });
      const lines = [...refused, ...(problem === null ? [] : [problem])];
      // For the next run: the engineers' mail is already sent.
      await ledger.addToOutbox(this.#troubleEntries({ run, at: now, exitCode, lines }, 'mail'));
    });
  }

  /** Before the ledger is open, nothing can be kept for later. */
  async notifyAtOnce({ run, exitCode, summary, trouble }: RunEnd, log: Log) {
    this.hasNotified = true;
    await quietly(log, async () => {
      const { notify, secrets, clock } = this.#options;
      const signal = AbortSignal.timeout(NOTIFY_MS_MAX);
      const body = JSON.stringify(summary);
      const tries: Promise<unknown>[] = [this.#started, this.#endPing(exitCode, signal)];
      if (notify.webhook !== null && secrets.webhookSecret !== undefined)
        tries.push(callWebhook(notify.webhook.url, secrets.webhookSecret, { run, body }, clock.now(), signal));
      if (notify.command !== null) tries.push(callCommand(this.#options, body, signal));
      if (this.#hasRecipients('engineers'))
        tries.push(
          this.#send(
            notify.mail?.engineers ?? [],
            composeTroubleMail([{ run, at: clock.now(), exitCode, lines: trouble }], this.#options),
            NONE_ATTACHED,
            signal,
          ),
        );
      for (const { reason } of (await Promise.allSettled(tries)).filter((one) => one.status === 'rejected'))
        log.warn('not sent', { problem: messageOf(reason) });
    });
  }

  #hasRecipients(whose: 'analysts' | 'underwriters' | 'engineers') {
    const mail = this.#options.notify.mail;
    return mail !== null && (mail[whose].length > 0 || (whose === 'analysts' && mail.senders.size > 0));
  }

  async #entriesOf(
    { run, exitCode, summary, trouble, night, lookedIntoInbox }: RunEnd,
    ledger: Ledger,
  ): Promise<readonly OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    const now = this.#options.clock.now();
    for (const channel of ['webhook', 'command'] as const)
      if (this.#options.notify[channel] !== null)
        entries.push({ channel, about: run, facts: { run, body: JSON.stringify(summary) } });
    if (this.#hasRecipients('analysts')) {
      entries.push(...(await newsEntries(ledger)));
      const silent = lookedIntoInbox
        ? findSilentSenders(await ledger.arrivalsSince(now - (LOOKS_BACK_DAYS + 1) * DAY_MS), now)
        : [];
      for (const one of silent)
        entries.push({
          channel: 'analysts',
          about: `silent ${one.sender} ${one.lastAt}`,
          facts: { silence: describeSilence(one) } satisfies AnalystFacts,
        });
    }
    if (night !== null && this.#hasRecipients('underwriters'))
      entries.push({ channel: 'underwriters', about: run, facts: night });
    return [...entries, ...this.#troubleEntries({ run, at: now, exitCode, lines: trouble }, 'run')];
  }

  #troubleEntries(trouble: Trouble, about: string): readonly OutboxEntry[] {
    return trouble.lines.length > 0 && this.#hasRecipients('engineers')
      ? [{ channel: 'engineers', about: `${about} ${trouble.run}`, facts: trouble }]
      : [];
  }

  async #ping(which: 'start' | 'success' | 'failure', signal: AbortSignal) {
    const url = this.#options.notify.ping[which];
    if (url === null) return null;
    return ping(url, signal).then(
      () => null,
      (failure: unknown) => `The ${which} ping did not get through: ${messageOf(failure)}.`,
    );
  }

  #endPing(exitCode: number, signal: AbortSignal) {
    return this.#ping(exitCode === 0 || exitCode === 3 ? 'success' : 'failure', signal);
  }

  /** Null, or the problem. One refusal does not stop the next. */
  async #notifyPrograms(
    channel: 'webhook' | 'webhook.projects' | 'command',
    { entries, ledger, signal, log }: Notifying,
  ) {
    const { notify, secrets, clock } = this.#options;
    let problem: string | null = null;
    let isOver = false;
    let failures = 0;
    const send = async ({ id, facts }: UnsentEntry) => {
      if (isOver) return;
      const call = facts as Readonly<{ run: string; id?: string; body: string }>;
      try {
        signal.throwIfAborted();
        if (channel === 'command' && notify.command !== null) {
          log.info('notify.command ran', { output: await callCommand(this.#options, call.body, signal) });
        } else if (channel !== 'command' && notify.webhook !== null) {
          // Waits until the secret is set; engineers learn of that.
          if (secrets.webhookSecret === undefined) return;
          await callWebhook(notify.webhook.url, secrets.webhookSecret, call, clock.now(), signal);
        }
        await ledger.endEntries([id]);
        failures = 0;
      } catch (failure) {
        failures += 1;
        // An endpoint may fail at one project alone.
        const isAway = !(failure instanceof NotifyError) || failure.isAway;
        isOver ||= isAway && (channel !== 'webhook.projects' || failures >= FAILURES_MAX);
        if (channel === 'webhook.projects' && signal.aborted) return;
        const why = failure instanceof NotifyError ? failure.message : 'there was no time left';
        problem = sentence('mail/program-failed', { channel, why });
      }
    };
    await pLimit(channel === 'webhook.projects' ? PROJECTS_AT_ONCE : 1).map(
      entries.filter((entry) => entry.channel === channel),
      send,
    );
    return problem;
  }

  /** Refused for the mails' own sake; if the server is away, the others wait. */
  async #notifyByMail(call: Notifying) {
    const refused = [];
    let isAway = false;
    for (const { whose, to, mail, attached, entries } of await this.#openMails(call)) {
      try {
        if (to.length > 0 && mail !== null) {
          if (isAway || call.signal.aborted) throw new NotifyError('it was not tried', true);
          const refusals = await this.#send(to, mail, attached, call.stopSignal);
          call.log.info('mail sent', { recipients: to.length - refusals, refused: refusals });
          if (refusals > 0) refused.push(sentence('mail/refused', { whose, refusals, all: to.length }));
        }
        await call.ledger.endEntries(entries.map(({ id }) => id));
      } catch (failure) {
        const isAboutMail = failure instanceof NotifyError && !failure.isAway;
        isAway ||= !isAboutMail;
        if (isAboutMail) refused.push(sentence('mail/failed', { whose, failure: failure.message }));
        call.log.warn('a mail was not sent; the next run sends it', { reason: messageOf(failure) });
      }
    }
    return refused;
  }

  /** Smallest first. A mail without content (null) or recipients counts as sent. */
  async #openMails(call: Notifying) {
    const of = (channel: string) => call.entries.filter((entry) => entry.channel === channel);
    const { underwriters = [], engineers = [], deliveriesUrl = null } = this.#options.notify.mail ?? {};
    const mails = of('underwriters').map((entry) => ({
      whose: 'underwriters',
      to: underwriters,
      mail: composeNightMail(entry.facts as NightFacts, this.#options, deliveriesUrl),
      attached: NONE_ATTACHED,
      entries: [entry],
    }));
    const troubles = of('engineers');
    if (troubles.length > 0)
      mails.unshift({
        whose: 'engineers',
        to: engineers,
        mail: composeTroubleMail(
          troubles.map(({ facts }) => facts as Trouble),
          this.#options,
        ),
        attached: NONE_ATTACHED,
        entries: troubles,
      });
    return [...mails, ...(await this.#analystMails(of('analysts'), call))].toSorted(
      (a, b) => a.attached.bytes - b.attached.bytes,
    );
  }

  #send(to: readonly string[], mail: MailText, { workbooks, bytes }: Attached, signal: AbortSignal) {
    const { notify, secrets, root } = this.#options;
    if (notify.mail === null) throw new NotifyError('notify.mail is not set', true);
    return sendMail(
      notify.mail,
      secrets,
      {
        to,
        subject: escapeLine(mail.subject),
        text: renderPlainMail(mail),
        html: renderHtmlMail(mail),
        attachments: workbooks.map((path) => ({ filename: basename(path), path: join(root, path) })),
        attachedBytes: bytes,
      },
      signal,
    );
  }

  /** One per sender, without others' content, and one to the analysts. */
  async #analystMails(entries: readonly UnsentEntry[], { ledger, newsInWords }: Notifying) {
    const { mail } = this.#options.notify;
    const waiting = await ledger.waitingRows();
    const questions = await ledger.openQuestions();
    const mails = [];
    const ownAddressOf = (facts: AnalystFacts) =>
      'sender' in facts && mail?.senders.has(facts.sender) ? facts.sender : null;
    for (const [sender, some] of Map.groupBy(entries, (entry) => ownAddressOf(entry.facts as AnalystFacts))) {
      const all = some.map(({ facts }) => facts as AnalystFacts);
      const news = all.flatMap((facts) => ('news' in facts ? [facts.news] : []));
      const silences = all.flatMap((facts) => ('silence' in facts ? (facts.silence ?? []) : []));
      const about = all.filter((facts) => 'sender' in facts);
      const rows = about.flatMap((facts) =>
        waiting.filter((one) => one.sender === facts.sender && facts.fileIds.includes(one.fileId)),
      );
      const asked = about.flatMap(({ layoutIds = [] }) => questions.filter(({ id }) => layoutIds.includes(id)));
      const to = sender === null ? (mail?.analysts ?? []) : (mail?.senders.get(sender) ?? []);
      mails.push({
        /** For engineers. */
        whose: sender ?? 'analysts',
        to,
        entries: some,
        ...(await this.#corrections(
          [...new Set(rows)],
          [...new Set(asked)],
          [...(await newsInWords(news)), ...silences],
          await ledger.receiptsOf(rows.map(({ fileId }) => fileId)),
          about.every(({ isReminder }) => isReminder),
          ledger,
        )),
      });
    }
    return mails;
  }

  async #corrections(
    rows: readonly FileToFix[],
    asked: readonly LayoutRecord[],
    news: readonly string[],
    receipts: readonly string[],
    isReminder: boolean,
    ledger: Ledger,
  ) {
    const others = [...asked.map(questionInMail), ...news];
    if (rows.length === 0 && others.length === 0) return { mail: null, attached: NONE_ATTACHED };
    const workbooks = new Set<string>();
    let bytes = 0;
    const wanted = [...asked.map(({ workbook }) => workbook), ...rows.map((one) => one.corrections), ...receipts];
    for (const corrections of wanted) {
      if (corrections === null || workbooks.has(corrections)) continue;
      const found = await stat(join(this.#options.root, corrections)).catch(() => null);
      if (found === null || bytes + found.size > ATTACHED_BYTES_MAX) continue;
      workbooks.add(corrections);
      bytes += found.size;
    }
    const few = rows.reduce((sum, one) => sum + one.rows, 0) <= ROWS_NAMED_MAX ? rows : [];
    const open = await Promise.all([...new Set(few.map(({ fileId }) => fileId))].map((id) => ledger.openRowsOf(id)));
    return {
      mail: composeCorrectionsMail(rows, others, workbooks, isReminder, open.flat()),
      attached: { workbooks: [...workbooks], bytes },
    };
  }
}

const ROWS_NAMED_MAX = 30;

/** `signal` also aborts at the limit for all messages. */
type Notifying = NotifyContext &
  Readonly<{
    entries: readonly UnsentEntry[];
    ledger: Ledger;
    stopSignal: AbortSignal;
  }>;

/** Paths relative to the workspace, and their total size. */
type Attached = Readonly<{
  workbooks: readonly string[];
  bytes: number;
}>;

const NONE_ATTACHED: Attached = { workbooks: [], bytes: 0 };

/** News about rows has one entry per sender, so that a failing mail repeats nothing for others. */
async function newsEntries(ledger: Ledger): Promise<readonly OutboxEntry[]> {
  const openNews = await ledger.openNews();
  const isAboutRows = openNews.some(({ kind }) => ABOUT_ROWS.has(kind));
  const waiting = isAboutRows ? await ledger.waitingRows() : [];
  const questions = isAboutRows ? await ledger.openQuestions() : [];
  const fileOfOrder = new Map<string, number>();
  if (openNews.some(({ kind }) => kind === 'order-refused')) {
    for (const { fileId } of waiting)
      for (const { orderId } of await ledger.openRowsOf(fileId))
        if (orderId !== null) fileOfOrder.set(String(orderId), fileId);
  }
  return openNews.flatMap((news): readonly OutboxEntry[] => {
    const { id, kind, subject } = news;
    if (!ABOUT_ROWS.has(kind)) {
      const [sender = ''] = subject.split('/', 1);
      const facts: AnalystFacts = kind === 'known-content' ? { sender, fileIds: [], silence: subject } : { news };
      return [{ channel: 'analysts', about: `news ${id}`, facts }];
    }
    const fileId = kind === 'order-refused' ? fileOfOrder.get(subject) : Number(subject);
    const isAsked = kind === 'layout-asked';
    const about = waiting.filter((rows) => kind === 'still-open' || (!isAsked && rows.fileId === fileId));
    const asked = questions.filter((one) =>
      isAsked
        ? String(one.id) === subject
        : kind === 'still-open' || about.some(({ file, sender }) => file === one.file && sender === one.sender),
    );
    return [...new Set([...about, ...asked].map(({ sender }) => sender))].map((sender) => {
      const layoutIds = asked.filter((one) => one.sender === sender).map((one) => one.id);
      const facts: AnalystFacts = {
        sender,
        fileIds: [...new Set(about.filter((one) => one.sender === sender).map((one) => one.fileId))],
        ...(layoutIds.length === 0 ? {} : { layoutIds }),
        ...(kind === 'still-open' && { isReminder: true }),
      };
      return { channel: 'analysts', about: `news ${id} ${sender}`, facts };
    });
  });
}

async function quietly(log: Log, work: () => Promise<void>) {
  try {
    await work();
  } catch (failure) {
    log.error('notifying failed', { reason: messageOf(failure) });
  }
}
