/** What must catch a planted bug. */
export type Kit =
  /** So many seeded schedules, of one host or of several. */
  | { readonly kind: 'schedules' | 'fleets'; readonly count: number }
  /** A kill before and after every effect of a submission. */
  | { readonly kind: 'crashes' }
  /** The whole run over files, with an eye on what a power cut would take. */
  | { readonly kind: 'whole run' }
  | { readonly kind: 'unit tests'; readonly files: readonly string[] }
  /** All facts of the ledger, and cut connections, on PostgreSQL. */
  | { readonly kind: 'PostgreSQL' };

export interface Edit {
  /** Occurs in one file of src/, and there once. */
  readonly search: string;
  readonly replacement: string;
}

/** A bug that somebody could have written. */
export interface Mutant {
  readonly name: string;
  /** One of the seven protocols that lose or double orders (RELIABILITY). */
  readonly antiProtocol?: true;
  readonly edits: readonly Edit[];
  readonly caughtBy: Kit;
}

const schedules = (count = 400): Kit => ({ kind: 'schedules', count });
const fleets = (count = 200): Kit => ({ kind: 'fleets', count });
const crashes: Kit = { kind: 'crashes' };
const whole: Kit = { kind: 'whole run' };
const onPostgres: Kit = { kind: 'PostgreSQL' };
const unit = (...files: readonly string[]): Kit => ({ kind: 'unit tests', files });

function mutant(
  name: string,
  caughtBy: Kit,
  ...edits: readonly (readonly [search: string, replacement: string])[]
): Mutant {
  return { name, caughtBy, edits: edits.map(([search, replacement]) => ({ search, replacement })) };
}

function antiProtocol(...given: Parameters<typeof mutant>): Mutant {
  return { ...mutant(...given), antiProtocol: true };
}

const OWN_HOUSE = 'test/unit/submit/own-house.test.ts';
const WAITING = 'test/unit/submit/waiting-orders.test.ts';

const BEGIN = 'if (!this.#begunAhead.delete(order) && !(await this.#begin(order))) return NOTHING_SENT;';
const NO_KEY = ['allowDuplication: order.allowDuplication })', 'allowDuplication: true })'] as const;

export const MUTANTS: readonly Mutant[] = [
  antiProtocol('retry on timeout', schedules(), [
    "move: { to: 'unresolved', code: 'outcome-unknown', reason: outcome.reason, uncertainSince: now }",
    "move: { to: 'ready', code: 'outcome-unknown', reason: outcome.reason, attemptUsed: true }",
  ]),
  antiProtocol(
    'intent after answer',
    schedules(),
    [BEGIN, ''],
    [
      'const after = decideAfterAnswer(outcome, clock.now());',
      `${BEGIN.replace('return NOTHING_SENT', "throw new Error('it was not ready')")}\n    const after = decideAfterAnswer(outcome, clock.now());`,
    ],
  ),
  antiProtocol('quarantine too short', schedules(), [
    '{ ...findings, ours, others }, quarantineMs, repeat)',
    '{ ...findings, ours, others }, quarantineMs / 2, repeat)',
  ]),
  antiProtocol(
    'quarantine from the intent',
    schedules(1500),
    ['const answered = await create(', 'const begun = clock.now();\n    const answered = await create('],
    ['const after = decideAfterAnswer(outcome, clock.now());', 'const after = decideAfterAnswer(outcome, begun);'],
    ['uncertainSince: Math.max(to.uncertainSince, now)', 'uncertainSince: to.uncertainSince'],
    [
      "reason: sentence('program-ended'),\n      uncertainSince: now,",
      "reason: sentence('program-ended'),\n      uncertainSince: now - 60_000,",
    ],
  ),
  antiProtocol("409 as somebody else's", schedules(1500), [
    'if (ours !== null) return ours;\n  const ranked',
    'if (ours === undefined) return ours;\n  const ranked',
  ]),
  antiProtocol('no key and no quarantine', schedules(), NO_KEY, [
    '{ ...findings, ours, others }, quarantineMs, repeat)',
    "{ ...findings, ours, others }, 0, 'free')",
  ]),
  antiProtocol('repeat without search', schedules(), [
    'const findings = await findProjects(order, context, { alsoByAddress: false });',
    "const findings: SearchFindings = { kind: 'looked', startedAt: context.clock.now(), ours: [], others: [] };",
  ]),

  mutant('a host sends what others may have taken over', fleets(), [
    "request.method === 'GET' || may()",
    "request.method !== 'TRACE' || may()",
  ]),
  mutant('what was found out of one doubt settles the next', fleets(), [
    "return ledger.moveOrder(order, 'unresolved', move)",
    "return ledger.moveOrder(order.id, 'unresolved', move)",
  ]),
  mutant('the generation is not compared after a reconnection', fleets(400), [
    'return generationIn(lineage) >= Math.max(this.#generation, this.#watch.witnessed());',
    'return generationIn(lineage) >= 0;',
  ]),
  mutant('does not say that no duplicate is wanted', schedules(), NO_KEY),
  mutant('another payload with every attempt', schedules(), [
    '.createProject({ ...order.payload,',
    '.createProject({ ...order.payload, note: `attempt ${order.attempts}`,',
  ]),
  mutant('a foreign 4xx is taken for the service’s word', schedules(), [
    "if (words === null) return { kind: 'stop', status, message, notCreated: false };",
    "if (words === null) return { kind: 'stop', status, message, notCreated: true };",
  ]),
  mutant('a foreign 401 is taken for the service’s word', schedules(), [
    '(token) => send(context, call, token), isOwn401)',
    '(token) => send(context, call, token), is401)',
  ]),
  mutant('a lost answer is taken for a request not sent', schedules(), [
    "return sent === 'no' ?",
    'return sent !== null ?',
  ]),
  mutant('JSON ids as numbers', schedules(), [
    'if (!/\\d{16}|\\d[eE]\\+?\\d{3}|\\\\u[dD][89a-fA-F]/.test(text)) return JSON.parse(text);',
    'if (text.length > 0) return JSON.parse(text);',
  ]),
  mutant('what a killed process was sending is sent again', crashes, [
    "to: 'unresolved',\n      code: 'program-ended',\n      reason: sentence('program-ended'),\n      uncertainSince: now,",
    "to: 'ready',\n      code: 'program-ended',\n      reason: sentence('program-ended'),\n      attemptUsed: true,",
  ]),
  mutant('what a killed process was sending is forgotten', crashes, [
    'for (const { id } of theirs) {',
    'for (const { id } of theirs.slice(1)) {',
  ]),
  mutant('paging stops at a short page', schedules(1500), [
    'yield fresh;',
    'yield fresh;\n    if (items.length < SEARCH_LIMIT_MAX) return;',
  ]),
  mutant('another user name begins an empty ledger', unit('test/unit/upkeep/account.test.ts'), [
    'question: isKnown ? null : anotherAccount(',
    'question: true ? null : anotherAccount(',
  ]),
  mutant('a name taken along has records of its own', unit('test/unit/upkeep/account.test.ts'), [
    "const account = answer === 'same' ? own :",
    "const account = answer === 'same' ? name.key :",
  ]),
  mutant('a row that is done is read again', unit('test/unit/submit/read-again.test.ts'), [
    "has(text) ? 'done' : null",
    'has(place.rowNumber) === true ? null : null',
  ]),
  mutant('a key is believed whatever its row was written over with', unit('test/unit/submit/known-rows.test.ts'), [
    'some((one) => isRecognizable(one, summary))',
    'some((one) => couldBeTheSame(one.summary, summary))',
  ]),
  mutant('the next page begins one too late', unit('test/unit/submit/find-projects.test.ts'), [
    'startId = BigInt(last.id) + 1n;',
    'startId = BigInt(last.id) + 2n;',
  ]),
  mutant('a service that is away is taken for one that shows nothing', schedules(1500), [
    "return {\n        kind: 'away',\n        reason: failure.message,\n        ...(failure instanceof MalformedResponse && { isMalformed: true, startedAt }),\n      };",
    "return { kind: 'looked', startedAt, ours: [], others: [] };",
  ]),
  mutant(
    'the search counts from its end',
    unit('test/unit/submit/find-projects.test.ts'),
    ['const startedAt = context.clock.now();\n  try {', 'let startedAt = context.clock.now();\n  try {'],
    ['return ours.length > 0\n', 'startedAt = context.clock.now();\n    return ours.length > 0\n'],
  ),
  mutant('what stood there before may be ours', schedules(1500), [
    'isNewerThanFirstAttempt(order, detail) && !taken',
    'detail.id !== order.idBound && !taken',
  ]),
  mutant(
    'another order’s project may be ours',
    unit('test/unit/submit/find-projects.test.ts'),
    ['&& !taken.has(detail.id) ? likenessOf', '? likenessOf'],
    [
      '=> found.filter(({ detail }) => !taken.has(detail.id));',
      '=> found.filter(({ detail }) => detail.id !== taken.toString());',
    ],
  ),
  mutant('a project like ours by its key is ours', schedules(1500), [
    "COMPARED = [...KEY_FIELDS, 'serviceName', 'policyType', 'houseType', 'insuredName']",
    "COMPARED = [...KEY_FIELDS, 'serviceName']",
  ]),
  mutant('the address is not compared', unit('test/unit/submit/order-and-project.test.ts'), [
    "hasNumber && same(compared) && houseLikeness(payload, detail) !== 'other'",
    'hasNumber && same(compared)',
  ]),
  mutant(
    'the reference is not asked for',
    unit('test/unit/submit/order-and-project.test.ts', 'test/unit/submit/find-projects.test.ts'),
    ["if (reference !== null) return carriesReference(reference, detail) ? 'exact' : null;", ''],
  ),
  mutant('what merely resembles the order is passed over', unit('test/unit/submit/after-answer.test.ts'), [
    "own !== null && (wish !== 'link' || tie !== 'living')",
    "own === ''",
  ]),
  mutant('without a number only the address is looked at', unit('test/unit/submit/find-projects.test.ts'), [
    'isAtAddress(item, order) || (isUnset(item.inspectionNumber) && isUnset(item.policyNumber))',
    'isAtAddress(item, order)',
  ]),
  mutant('the first of two that are ours is taken', unit('test/unit/submit/after-answer.test.ts'), [
    'if (second === undefined) return { to:',
    'if (second !== first) return { to:',
  ]),
  mutant('what another order from here may have made is not minded', unit('test/unit/submit/after-answer.test.ts'), [
    '!contested.has(detail.id) &&',
    '',
  ]),
  mutant('an order without a number overrides a 409 at once', unit('test/unit/submit/after-answer.test.ts'), [
    "if (order.attempts > (hadUnknownOutcome ? 2 : 1) && identityKind(order.payload) === 'address') {",
    "if (identityKind(order.payload) === 'address') {",
  ]),
  mutant(
    'the row’s own wish is not minded',
    unit('test/unit/submit/after-answer.test.ts', 'test/unit/submit/submit-run.test.ts'),
    [
      "const wish = order.rowWish === false && onDuplicate === 'create' ? 'link' : onDuplicate;",
      'const wish = onDuplicate;',
    ],
  ),
  mutant('an order is tried for ever', unit('test/unit/submit/after-answer.test.ts'), [
    'const ATTEMPTS_MAX = 5;',
    'const ATTEMPTS_MAX = 500;',
  ]),
  mutant('what was not sent uses up an attempt', unit('test/unit/submit/after-answer.test.ts'), [
    'code, reason, attemptUsed: false',
    'code, reason, attemptUsed: true',
  ]),
  mutant('the oldest of several is linked', unit('test/unit/submit/after-answer.test.ts'), [
    'BigInt(a.detail.id) < BigInt(b.detail.id) ? 1 : -1',
    'BigInt(a.detail.id) < BigInt(b.detail.id) ? -1 : 1',
  ]),
  mutant('neighbours are not looked for', unit('test/unit/submit/submit-run.test.ts'), [
    '{ alsoByAddress: true, ',
    '{ alsoByAddress: false, ',
  ]),
  mutant(
    'no breaker for unknown outcomes',
    unit('test/unit/submit/breakers.test.ts', 'test/unit/submit/submit-run.test.ts'),
    ['this.#unresolved += 1;', 'this.#unresolved += 0;'],
  ),
  mutant('an attempt begins in any state', unit('test/unit/ledger/open-ledger.test.ts'), [
    "WHERE id = ?2 AND account = ?1 AND state = 'ready' ${which}",
    'WHERE id = ?2 AND account = ?1 ${which}',
  ]),
  mutant('linked to another house', schedules(1500), [
    'if (!isSameHouse(payload, detail) || isOtherTerm(payload, detail)) return false;',
    'if (isOtherTerm(payload, detail)) return false;',
  ]),
  mutant('linked to another service under one policy', unit(OWN_HOUSE), [
    "identityKind(payload) !== 'policy' || !same(",
    "identityKind(payload) !== 'address' || !same(",
  ]),
  mutant(
    'the newest is linked, whatever its house',
    unit(OWN_HOUSE),
    ['Number(isSameHouse(payload, detail)) * 8 +', ''],
    [
      'const ties = theirs.filter(({ detail }) => mayBeLinked(order, detail));',
      'const ties = theirs.slice(0, 1).filter(({ detail }) => mayBeLinked(order, detail));',
    ],
  ),
  mutant('what was ordered again is known only beside a first order', unit('test/unit/submit/row-decision.test.ts'), [
    "...this.#under('identity', identity, forgotten),",
    "...this.#under('identity', identity, forgotten).filter((order) => !order.identity.includes('#')),",
  ]),
  mutant('a canceled project hides a doubt', unit('test/unit/submit/after-answer.test.ts'), [
    'when: (found) => found.hadUnknownOutcome && !mayBeSettled(found),',
    "when: (found) => found.hadUnknownOutcome && (found.wish === 'create' || found.tie === 'none'),",
  ]),
  mutant('what another order from here has is linked', unit(OWN_HOUSE), [
    'ranked.filter(({ detail }) => !taken.has(detail.id) && ',
    'ranked.filter(({ detail }) => ',
  ]),
  mutant('a second house under one policy is a repeat', schedules(1500), [
    'return order.payload.serviceName !== payload.serviceName || !isAtHouseOf(payload, order, ledger);',
    'return false;',
  ]),
  mutant('a renewal adopts last year’s project', unit('test/unit/upkeep/recover-run.test.ts'), [
    'if (isMarkedForAnother(payload, detail) || isOtherTerm(payload, detail)) return null;',
    'if (isMarkedForAnother(payload, detail)) return null;',
  ]),
  mutant('a 409 ties a renewal to last year’s project', unit('test/unit/submit/renewal-run.test.ts'), [
    'recent.has(detail.id) || !isOtherTerm(order.payload, detail);',
    'detail.id !== order.projectId;',
  ]),
  mutant(
    'a renewal twice for the same row',
    unit('test/unit/submit/renewals.test.ts'),
    [
      "this.#index('identity', baseIdentity(order.identity), order);",
      "this.#index('identity', order.identity, order);",
    ],
    [
      'const key = keyOfRenewal(identityOf(row.payload), date);',
      'const key = keyOfRepeat(identityOf(row.payload), row.record.place);',
    ],
  ),
  mutant('a renewal is not compared by its house', unit('test/unit/submit/renewals.test.ts'), [
    'same?.renewal === null',
    'same !== null',
  ]),
  mutant('two numbers are one order after a row without', unit('test/unit/submit/renewals.test.ts'), [
    "!isSameNumber(number, mine[index] ?? ''),",
    "isSameNumber(number, mine[index] ?? ''),",
  ]),
  mutant('a renewal is not known by what its order is known by', unit('test/unit/submit/renewals.test.ts'), [
    'if (identity !== own) identify(identity, placed);',
    "if (identity === '') identify(identity, placed);",
  ]),
  mutant('a date in between is a renewal', unit('test/unit/submit/repeat-or-renewal.test.ts'), [
    'differenceInCalendarDays(date, after) >= renewalAfterDays',
    'differenceInCalendarDays(date, after) >= 0',
  ]),
  mutant('the words of a 409 are not read', unit(OWN_HOUSE), [
    'named: idsNamedIn(message, order)',
    'named: idsNamedIn(String(message.length), order).slice(1)',
  ]),
  mutant(
    'sent past an earlier order of the same key',
    unit('test/unit/submit/one-key.test.ts'),
    ["`AND NOT EXISTS (${similarOrderIds('id < ?2', 1)})`", "''"],
    ['if (before === null) return next;', 'if (before === null || before.id > 0) return next;'],
  ),
  mutant('an order of the same key waits only for one that is being sent', unit(WAITING), [
    "withKeyOf(store, orderId, 'id < ?2', 1)",
    "withKeyOf(store, orderId, `id < ?2 AND state IN ('ready', 'submitting')`, 1)",
  ]),
  mutant(
    'who waited is forgotten for the night',
    unit(WAITING),
    [' || (sent.done > 0 && sent.waiting > 0)', ''],
    ['this.#released.push(...(this.#waiting.get(order.id) ?? []));', ''],
  ),
  mutant(
    'an order that allows a duplicate is sent again in the same night',
    schedules(1500),
    ["if (isSameNight(order, searchedAt)) return 'later';", ''],
    ["return shown ? 'free' : isLast ? 'person' : 'later';", "return shown || !isLast || isLast ? 'free' : 'later';"],
  ),
  mutant('an order that allows a duplicate is sent again without a proof', unit(WAITING), [
    "return shown ? 'free' : isLast ? 'person' : 'later';",
    "return shown || isLast ? 'free' : 'later';",
  ]),
  mutant('the mark is not in the note', schedules(), [
    'const note = payload.note === undefined ? `[ref ${reference}]` : `${payload.note} [ref ${reference}]`;',
    "const note = payload.note ?? '';",
  ]),
  mutant('commits are not synced', unit('test/unit/ledger/sqlite-driver.test.ts'), [
    'PRAGMA synchronous = FULL;',
    'PRAGMA synchronous = OFF;',
  ]),

  mutant('no fsync of a report', whole, ['createWriteStream(partial, { flush: true })', 'createWriteStream(partial)']),
  mutant('no fsync of a project’s folder', whole, [
    'if (waiting.length > 0) await Promise.all([this.#folder, this.#context.store].map(syncFolder));',
    'await syncFolder(this.#context.store);',
  ]),
  mutant('no fsync of the folder of downloads', whole, [
    'Promise.all([this.#folder, this.#context.store].map(syncFolder))',
    'syncFolder(this.#folder)',
  ]),
  mutant('no fsync of a summary', whole, [
    'await writeFile(partial, bytes, { flush: true });',
    'await writeFile(partial, bytes);',
  ]),
  mutant('no fsync of a delivery', whole, [
    'await build(temporary);\n    await syncTree(temporary);',
    'await build(temporary);',
  ]),
  mutant('no fsync of the folder of deliveries', whole, [
    '  await syncFolder(parent);\n  return built;',
    '  return built;',
  ]),
  mutant('received before delivery', whole, [
    "if (fetched.kind === 'complete') counts.collected += 1;",
    "if (fetched.kind === 'complete') await context.client.putStatus(project.id, { value: 'Client Received' });\n      if (fetched.kind === 'complete') counts.collected += 1;",
  ]),
  mutant('collected though something is missing', unit('test/unit/collect/collect-run.test.ts'), [
    'await projectFiles.flush(lacks.length > 0 ? [closeout] : [closeout, () => ledger.markCollected(project.id)]);',
    'await projectFiles.flush([closeout, () => ledger.markCollected(project.id)]);',
  ]),
  mutant('identity by file name', unit('test/unit/submit/take-in.test.ts'), [
    'const hash = await copyOpenedDurably(opened, taking);',
    "await copyOpenedDurably(opened, taking);\n  const hash = Buffer.from(claimed.name).toString('hex').padEnd(64, '0');",
  ]),
  mutant('a move replaces what is there', unit('test/unit/ops/atomic-files.test.ts'), [
    'await calls.link(source, target);',
    'await calls.rename(source, target);',
  ]),
  mutant('a torn transfer is kept', unit('test/unit/collect/download.test.ts'), [
    'contentLength === null || contentLength === bytes',
    'contentLength !== -1',
  ]),
  mutant(
    'a torn PDF is kept',
    unit('test/unit/collect/verify-content.test.ts', 'test/unit/collect/collect-run.test.ts'),
    ["if (end < 0) return broken('the PDF has no end');", ''],
  ),
  mutant('what is not complete is received', unit('test/unit/collect/acknowledge.test.ts'), [
    '&& collectedAt !== null && isSettledProblem(problemCode),',
    '&& collectedAt !== -1 && problemCode !== id,',
  ]),
  mutant('what no delivery holds is received', unit('test/unit/collect/acknowledge.test.ts'), [
    "delivered.has(id) && status === 'Returned to Client'",
    "status === 'Returned to Client'",
  ]),
  mutant('what a sweep does not show is not asked for', unit('test/unit/collect/sweep.test.ts'), [
    'return [...unseen];',
    'return [];',
  ]),
  mutant('the token travels to other origins', unit('test/unit/service/client.test.ts'), [
    'url !== start && url.origin === start.origin &&',
    'url !== start &&',
  ]),
  mutant('on PostgreSQL an attempt begins in any state', onPostgres, [
    "WHERE id = ?2 AND account = ?1 AND state = 'ready' ${which}",
    'WHERE id = ?2 AND account = ?1 ${which}',
  ]),
  mutant('what comes late from a run that another took over for counts', onPostgres, [
    'number = orders.attempts AND run = ?)',
    'number = orders.attempts AND coalesce(run, ?) IS NOT NULL)',
  ]),
  mutant('two hosts adopt one project', onPostgres, [
    'other.project_id = ? AND other.id <> orders.id',
    'other.project_id = ? AND other.id = orders.id',
  ]),
  mutant('a change that touched nothing is taken for done', onPostgres, [
    '    ...values,\n  );\n  return changed > 0;',
    '    ...values,\n  );\n  return changed >= 0;',
  ]),
  mutant('what one write did before it failed stays', onPostgres, [
    "this.#transactions.savepoint('ROLLBACK TO job');",
    "this.#transactions.savepoint('RELEASE job');",
  ]),
  mutant('a commit whose answer was lost counts as failed', onPostgres, [
    "if (fate === 'aborted') throw databaseUnavailable(trouble.message);",
    'throw databaseUnavailable(trouble.message);',
  ]),
  mutant('a question is not asked again after its connection broke', onPostgres, [
    'if (!(failure instanceof QueryError) || !failure.trouble.isBroken) throw failure;',
    'if (failure instanceof QueryError) throw failure;',
  ]),
  mutant('ids that were used are expected again', onPostgres, [
    'AS regclass)), 0) + 1 AS id',
    'AS regclass)), 0) AS id',
  ]),
  mutant('writers do not wait for one another', onPostgres, [
    "{ text: 'SELECT pg_advisory_xact_lock($1)', name",
    "{ text: 'SELECT CAST($1 AS text)', name",
  ]),
  mutant('rows under a title that says not to order are ordered', unit('test/unit/intake/not-this-one.test.ts'), [
    'const outcome = heading === undefined ? whole : words.under(heading, whole);',
    'const outcome = whole;',
  ]),
];
