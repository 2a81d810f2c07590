/** What must catch a planted bug. */
export type Kit =
  /** So many seeded schedules. */
  | { readonly kind: 'schedules'; readonly count: number }
  /** A kill before and after every effect of a submission. */
  | { readonly kind: 'crashes' }
  /** The whole run over files, with an eye on what a power cut would take. */
  | { readonly kind: 'whole run' }
  | { readonly kind: 'unit tests'; readonly files: readonly string[] };

export interface Edit {
  readonly file: string;
  /** Occurs exactly once. */
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
const crashes: Kit = { kind: 'crashes' };
const whole: Kit = { kind: 'whole run' };
const unit = (...files: readonly string[]): Kit => ({ kind: 'unit tests', files });

function mutant(name: string, caughtBy: Kit, ...edits: readonly (readonly [file: string, search: string, replacement: string])[]): Mutant {
  return { name, caughtBy, edits: edits.map(([file, search, replacement]) => ({ file: `src/${file}`, search, replacement })) };
}

function antiProtocol(...given: Parameters<typeof mutant>): Mutant {
  return { ...mutant(...given), antiProtocol: true };
}

const RUN = 'submit/submit-run.ts';
const PLAN = 'submit/submit-plan.ts';
const SETTLE = 'submit/settle-unresolved.ts';
const FIND = 'submit/find-projects.ts';
const SAME = 'submit/same-order.ts';
const ORDERS = 'ledger/sqlite/order-pages.ts';
const DECISION = 'submit/row-decision.ts';
const OWN_HOUSE = 'test/unit/submit/own-house.test.ts';
const WAITING = 'test/unit/submit/waiting-orders.test.ts';
const ATOMIC = 'ops/atomic-files.ts';

const BEGIN = 'if (!this.#begunAhead.delete(order) && !(await this.#begin(order))) return NOTHING_SENT;';
const NO_KEY = [RUN, 'allowDuplication: order.allowDuplication })', 'allowDuplication: true })'] as const;

export const MUTANTS: readonly Mutant[] = [
  antiProtocol('retry on timeout', schedules(), [PLAN, "case 'unknown':\n      return { kind: 'move', move: { to: 'unresolved', reason: outcome.reason, uncertainSince: now } };", "case 'unknown':\n      return { kind: 'move', move: { to: 'ready', reason: outcome.reason, attemptUsed: true } };"]),
  antiProtocol('intent after answer', schedules(), [RUN, BEGIN, ''], [RUN, 'const after = afterAnswer(outcome, clock.now());', `${BEGIN.replace('return NOTHING_SENT', "throw new Error('it was not ready')")}\n    const after = afterAnswer(outcome, clock.now());`]),
  antiProtocol('quarantine too short', schedules(), [SETTLE, '{ ...findings, ours, others }, quarantineMs, repeat)', '{ ...findings, ours, others }, quarantineMs / 2, repeat)']),
  antiProtocol(
    'quarantine from the intent',
    schedules(1500),
    [RUN, 'const answered = await client', 'const begun = clock.now();\n    const answered = await client'],
    [RUN, 'const after = afterAnswer(outcome, clock.now());', 'const after = afterAnswer(outcome, begun);'],
    [ORDERS, "reason: 'The program ended before the answer was on record.', uncertainSince: now }", "reason: 'The program ended before the answer was on record.', uncertainSince: now - 60_000 }"],
  ),
  antiProtocol("409 as somebody else's", schedules(1500), [PLAN, 'if (ours !== null) return ours;\n  const standing', 'if (ours === undefined) return ours;\n  const standing']),
  antiProtocol('no key and no quarantine', schedules(), NO_KEY, [SETTLE, '{ ...findings, ours, others }, quarantineMs, repeat)', "{ ...findings, ours, others }, 0, 'free')"]),
  antiProtocol('repeat without search', schedules(), [SETTLE, 'const findings = await findProjects(order, this.#parts, { alsoByAddress: false });', "const findings: Findings = { kind: 'looked', startedAt: this.#parts.clock.now(), ours: [], others: [] };"]),

  mutant('does not say that no duplicate is wanted', schedules(), NO_KEY),
  mutant('another payload with every attempt', schedules(), [RUN, '.createProject({ ...order.payload,', '.createProject({ ...order.payload, note: `attempt ${order.attempts}`,']),
  mutant('a foreign 4xx is taken for the service’s word', schedules(), ['service/answer.ts', "if (words === null) return { kind: 'stop', status, message, notCreated: false };", "if (words === null) return { kind: 'stop', status, message, notCreated: true };"]),
  mutant('a foreign 401 is taken for the service’s word', schedules(), ['service/calls.ts', '(token) => send(parts, call, token), isOwn401)', '(token) => send(parts, call, token), is401)']),
  mutant('a lost answer is taken for a request not sent', schedules(), ['service/answer.ts', "return sent === 'no' ?", "return sent !== null ?"]),
  mutant('JSON ids as numbers', schedules(), ['contract/json.ts', 'if (!/\\d{16}|\\d[eE]\\+?\\d{3}|\\\\u[dD][89a-fA-F]/.test(text)) return JSON.parse(text);', 'if (text.length > 0) return JSON.parse(text);']),
  mutant('what a killed process was sending is sent again', crashes, [ORDERS, "{ to: 'unresolved', reason: 'The program ended before the answer was on record.', uncertainSince: now }", "{ to: 'ready', reason: 'The program ended before the answer was on record.', attemptUsed: true }"]),
  mutant('what a killed process was sending is forgotten', crashes, [ORDERS, 'for (const { id } of interrupted) {', 'for (const { id } of interrupted.slice(1)) {']),
  mutant('paging stops at a short page', schedules(1500), ['service/search-pages.ts', 'yield fresh;', 'yield fresh;\n    if (items.length < SEARCH_LIMIT_MAX) return;']),
  mutant('the next page begins one too late', unit('src/submit/find-projects.test.ts'), ['service/search-pages.ts', 'startId = BigInt(last.id) + 1n;', 'startId = BigInt(last.id) + 2n;']),
  mutant('a service that is away is taken for one that shows nothing', schedules(1500), [FIND, "if (failure instanceof ServiceAway) return { kind: 'away', reason: failure.message, ...(failure instanceof OddAnswer && { isOdd: true }) };", "if (failure instanceof ServiceAway) return { kind: 'looked', startedAt, ours: [], others: [] };"]),
  mutant('the search counts from its end', unit('src/submit/find-projects.test.ts'), [FIND, 'const startedAt = parts.clock.now();\n  try {', 'let startedAt = parts.clock.now();\n  try {'], [FIND, 'return ours.length > 0 ?', 'startedAt = parts.clock.now();\n    return ours.length > 0 ?']),
  mutant('what stood there before may be ours', schedules(1500), [FIND, 'BigInt(id) > BigInt(order.idBound ?? 0) && !taken', 'id !== order.idBound && !taken']),
  mutant('another order’s project may be ours', schedules(1500), [FIND, '&& !taken.has(id) ? likenessOf', '? likenessOf'], [SETTLE, 'found.filter(({ detail }) => !taken.has(detail.id))) as', 'found.filter(({ detail }) => detail.id !== taken.toString())) as']),
  mutant('a project like ours by its key is ours', schedules(1500), [SAME, "const COMPARED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName', 'policyType', 'houseType', 'insuredName'] as const;", "const COMPARED = ['inspectionNumber', 'policyNumber', 'policyEffectiveDate', 'serviceName'] as const;"]),
  mutant('the address is not compared', unit('src/submit/same-order.test.ts'), [SAME, "hasNumber && same(UNCHANGED) && houseLikeness(payload, detail) !== 'other'", 'hasNumber && same(UNCHANGED)']),
  mutant('the reference is not asked for', unit('src/submit/same-order.test.ts', 'src/submit/find-projects.test.ts'), [SAME, "if (reference !== null) return carriesReference(reference, detail) ? 'to the letter' : null;", '']),
  mutant('what merely resembles the order is passed over', unit('src/submit/submit-plan.test.ts'), [PLAN, "if (own !== null && (wish !== 'link' || tied === undefined)) {", "if (own === '') {"]),
  mutant('without a number only the address is looked at', unit('src/submit/find-projects.test.ts'), [FIND, 'isAtAddress(item, order) || (isBlank(item.inspectionNumber) && isBlank(item.policyNumber))', 'isAtAddress(item, order)']),
  mutant('the first of two that are ours is taken', unit('src/submit/submit-plan.test.ts'), [PLAN, 'if (second === undefined) return', 'if (second !== first) return']),
  mutant('what another order from here may have made is not minded', unit('src/submit/submit-plan.test.ts'), [PLAN, 'findings.ours.filter(({ detail }) => !contested.has(detail.id) && ', 'findings.ours.filter(({ detail }) => ']),
  mutant('an order without a number overrides a 409 at once', unit('src/submit/submit-plan.test.ts'), [PLAN, "if (order.attempts > (everUnknown ? 2 : 1) && identityKind(order.payload) === 'address') {", "if (identityKind(order.payload) === 'address') {"]),
  mutant('the row’s own wish is not minded', unit('src/submit/submit-plan.test.ts', 'src/submit/submit-run.test.ts'), [PLAN, "const wish = order.rowWish === false && onDuplicate === 'create' ? 'link' : onDuplicate;", 'const wish = onDuplicate;']),
  mutant('an order is tried for ever', unit('src/submit/submit-plan.test.ts'), [PLAN, 'const ATTEMPTS_MAX = 5;', 'const ATTEMPTS_MAX = 500;']),
  mutant('what was not sent uses up an attempt', unit('src/submit/submit-plan.test.ts'), [PLAN, 'reason: `Not sent: ${outcome.reason}`, attemptUsed: false', 'reason: `Not sent: ${outcome.reason}`, attemptUsed: true']),
  mutant('the oldest of several is linked', unit('src/submit/submit-plan.test.ts'), [SAME, 'BigInt(a.detail.id) < BigInt(b.detail.id) ? 1 : -1', 'BigInt(a.detail.id) < BigInt(b.detail.id) ? -1 : 1']),
  mutant('neighbours are not looked for', unit('src/submit/submit-run.test.ts'), [SETTLE, '{ alsoByAddress: true, ', '{ alsoByAddress: false, ']),
  mutant('no breaker for unknown outcomes', unit('src/submit/breakers.test.ts', 'src/submit/submit-run.test.ts'), ['submit/breakers.ts', 'this.#unresolved += 1;', 'this.#unresolved += 0;']),
  mutant('an attempt begins in any state', unit('src/ledger/sqlite/sqlite-ledger.test.ts'), [ORDERS, "WHERE id = ? AND account = ? AND state = 'ready'`", 'WHERE id = ? AND account = ?`']),
  mutant('linked to another house', schedules(1500), [SAME, 'if (!isSameHouse(payload, detail)) return false;', '']),
  mutant('linked to another service under one policy', unit(OWN_HOUSE), [SAME, "return identityKind(payload) !== 'policy' || folded(payload.policyNumber) !== folded(detail.policyNumber) ||", "return identityKind(payload) !== 'none' || folded(payload.policyNumber) !== folded(detail.policyNumber) ||"]),
  mutant('the newest is linked, whatever its house', unit(OWN_HOUSE), [SAME, 'Number(isSameHouse(payload, detail)) * 8 +', ''], [PLAN, 'const tied = theirs.find(({ detail }) => mayBeTied(order, detail));', 'const tied = theirs.slice(0, 1).find(({ detail }) => mayBeTied(order, detail));']),
  mutant('what another order from here has is linked', unit(OWN_HOUSE), [PLAN, 'standing.filter(({ detail }) => !taken.has(detail.id) && ', 'standing.filter(({ detail }) => ']),
  mutant('a second house under one policy is a repeat', schedules(1500), [DECISION, "if (identityKind(payload) === 'policy' && !isSameInspection(payload, order, ledger)) return", "if (identityKind(payload) === 'inspection' && !isSameInspection(payload, order, ledger)) return"]),
  mutant('the words of a 409 are not read', unit(OWN_HOUSE), [SETTLE, 'named: idsNamedIn(message, order)', 'named: idsNamedIn(String(message.length), order).slice(1)']),
  mutant('sent past an earlier order of the same key', unit('test/unit/submit/one-key.test.ts'), [ORDERS, 'return orderBefore(book, orderId) === null && noteAttempt', 'return noteAttempt'], [RUN, 'if (before === null) return next;', 'if (before === null || before.id > 0) return next;']),
  mutant('an order of the same key waits only for one that is being sent', unit(WAITING), [ORDERS, "`id < ?2 AND state IN ('ready', 'submitting', 'unresolved', 'held')`", "`id < ?2 AND state IN ('ready', 'submitting')`"]),
  mutant('who waited is forgotten for the night', unit(WAITING), [RUN, ' || (sent.done > 0 && sent.waiting > 0)', ''], [RUN, 'this.#released.push(...(this.#waiting.get(order.id) ?? []));', '']),
  mutant('an order that allows a duplicate is sent again in the same night', schedules(1500), [SETTLE, "if (searchedAt - since < NIGHT_MS) return 'later';", ''], [SETTLE, "return shown ? 'free' : this.#isLast ? 'person' : 'later';", "return shown || !this.#isLast || this.#isLast ? 'free' : 'later';"]),
  mutant('an order that allows a duplicate is sent again without a proof', unit(WAITING), [SETTLE, "return shown ? 'free' : this.#isLast ? 'person' : 'later';", "return shown || this.#isLast ? 'free' : 'later';"]),
  mutant('the mark is not in the note', schedules(), ['submit/row-decision.ts', 'const note = payload.note === undefined ? `[ref ${reference}]` : `${payload.note} [ref ${reference}]`;', "const note = payload.note ?? '';"]),
  mutant('commits are not synced', unit('src/ledger/sqlite/connection.test.ts'), ['ledger/sqlite/connection.ts', 'PRAGMA synchronous = FULL;', 'PRAGMA synchronous = OFF;']),

  mutant('no fsync of a report', whole, ['collect/download.ts', 'createWriteStream(partial, { flush: true })', 'createWriteStream(partial)']),
  mutant('no fsync of a project’s folder', whole, ['collect/shelf.ts', 'if (waiting.length > 0) await syncFolder(this.#folder);', '']),
  mutant('no fsync of a written file', whole, [ATOMIC, 'await file.writeFile(data);\n    await file.sync();', 'await file.writeFile(data);']),
  mutant('no fsync of a delivery', whole, [ATOMIC, 'await build(temporary);\n    await syncTree(temporary);', 'await build(temporary);']),
  mutant('no fsync of the folder of deliveries', whole, [ATOMIC, 'throw thrown;\n  }\n  await syncFolder(parent);', 'throw thrown;\n  }']),
  mutant('received before delivery', whole, ['collect/collect-run.ts', "if (fetched.kind === 'complete') this.#collected += 1;", "if (fetched.kind === 'complete') await this.#parts.client.putStatus(project.id, { value: 'Client Received' });\n      if (fetched.kind === 'complete') this.#collected += 1;"]),
  mutant('collected though something is missing', unit('src/collect/collect-run.test.ts'), ['collect/fetch-project.ts', 'await shelf.flush(lacks.length > 0 ? [closeout] : [closeout, () => ledger.markCollected(project.id)]);', 'await shelf.flush([closeout, () => ledger.markCollected(project.id)]);']),
  mutant('identity by file name', unit('src/submit/take-in.test.ts'), ['submit/take-in-snapshot.ts', 'const hash = await copyOpenedDurably(opened, taking);', "await copyOpenedDurably(opened, taking);\n  const hash = Buffer.from(claimed.name).toString('hex').padEnd(64, '0');"]),
  mutant('a move replaces what is there', unit('src/ops/atomic-files.test.ts'), [ATOMIC, 'await calls.link(source, target);', 'await calls.rename(source, target);']),
  mutant('a torn transfer is kept', unit('src/collect/download.test.ts'), ['collect/download.ts', 'const lengthIsRight = file.contentLength === null || file.contentLength === bytes;', 'const lengthIsRight = file.contentLength !== -1;']),
  mutant('a torn PDF is kept', unit('src/collect/verify-content.test.ts', 'src/collect/collect-run.test.ts'), ['collect/verify-content.ts', "if (end < 0) return broken('the PDF has no end');", '']),
  mutant('what is not complete is received', unit('src/collect/acknowledge.test.ts'), ['collect/acknowledge.ts', '&& project.collectedAt !== null && holdsNothingUp(project.problem)', '']),
  mutant('what no delivery holds is received', unit('src/collect/acknowledge.test.ts'), ['collect/acknowledge.ts', 'delivered.has(project.id) && mayAcknowledge(project)', 'mayAcknowledge(project)']),
  mutant('what a sweep does not show is not asked for', unit('src/collect/sweep.test.ts'), ['collect/sweep.ts', 'return [...unseen];', 'return [];']),
  mutant('the token travels to other origins', unit('src/service/redirects.test.ts', 'src/service/client.test.ts'), ['service/redirects.ts', 'if (url.origin === serviceOrigin)', "if (serviceOrigin !== '')"]),
];
