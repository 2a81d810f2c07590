import { hashKey, LIVING } from './orders.ts';
import { type Store, rowReader, textOf, textOrNull, type SqlRow, type SqlValue } from './store.ts';
import { AMENDED_ORDERS, amendedDetailsByProject } from './updates.ts';

export type KnownProject = Readonly<ReturnType<typeof projectIn>>;

/** What the service's duplicate rules compare (document: Errors, rules 1 to 4). Without numbers: empty. */
export type ComparedDetails = Omit<ReturnType<typeof comparedFrom>, 'knownAt'>;

const comparedFrom = rowReader({
  inspectionNumber: textOf,
  policyNumber: textOf,
  effectiveDate: textOf,
  addressKey: textOf,
  insuredBy: textOf,
  knownAt: Number,
});

type DuplicateKey = Readonly<{
  insuredBy: string;
  since: number;
}>;

/** The newest project of each key, or null. */
export type KnownProjects = Awaited<ReturnType<typeof knownProjects>>;

/** A tied project is older than the tie; an unsent one will be the youngest. */
const CREATED_AT = `CASE orders.state
    WHEN 'ready' THEN 9007199254740991
    WHEN 'linked' THEN orders.updated_at
    WHEN 'skipped' THEN orders.updated_at
    ELSE coalesce((SELECT max(sent_at) FROM attempts WHERE attempts.order_id = orders.id), orders.created_at) END`;

const WITH_NUMBERS = `orders.id IN (
    SELECT id FROM orders WHERE account = ?1 AND json_extract(payload, '$.inspectionNumber') IN (SELECT value FROM json_each(?2))
    UNION SELECT placed.id FROM json_each(?3) AS wanted CROSS JOIN orders AS placed
      ON placed.account = ?1 AND placed.policy_key >= wanted.value || ',' AND placed.policy_key < wanted.value || '-'
    UNION ${AMENDED_ORDERS} json_extract(request, '$.policyNumber') IN (SELECT value FROM json_each(?4))
    UNION SELECT id FROM orders WHERE account = ?1 AND address_key IN (SELECT value FROM json_each(?5)))`;

const WITHOUT_NUMBERS = `((policy_key IS NULL AND coalesce(json_extract(payload, '$.policyEffectiveDate'), '') = ?2)
  OR orders.id IN (${AMENDED_ORDERS} json_extract(request, '$.kind') = 'amend')) AND coalesce(json_extract(payload, '$.insuredBy'), '') = ?3 AND ${CREATED_AT} >= ?4`;

const ALIKE_MAX = 100;

/** Unnumbered ones come last. Orders tied to another order's project are left to that order. */
const newestFirst = (condition: string) =>
  `SELECT id, json_extract(payload, '$.inspectionNumber') AS inspection_number, coalesce(json_extract(payload, '$.policyNumber'), '') AS policy_number,
     coalesce(json_extract(payload, '$.policyEffectiveDate'), '') AS effective_date, coalesce(json_extract(payload, '$.insuredBy'), '') AS insured_by, address_key,
     CAST(project_id AS TEXT) AS project_id, state, created_at, ${CREATED_AT} AS known_at FROM orders
   WHERE account = ?1 AND ${condition} AND ${LIVING}
     AND NOT (state = 'linked' AND EXISTS (SELECT 1 FROM orders AS own
       WHERE own.account = orders.account AND own.project_id = orders.project_id AND own.state = 'created'))
   ORDER BY CASE WHEN state = 'skipped' THEN 2 WHEN project_id IS NULL THEN 0 ELSE 1 END, orders.project_id DESC, id DESC`;

interface Candidate extends ReturnType<typeof comparedFrom> {
  readonly project: KnownProject;
}

async function knownProjects(store: Store, asked: readonly ComparedDetails[], since: number) {
  const policies = asked.map(({ policyNumber }) => policyNumber).filter((number) => number !== '');
  const numbered = await candidates(
    store,
    newestFirst(WITH_NUMBERS),
    asked.map(({ inspectionNumber }) => inspectionNumber).filter((number) => number !== ''),
    policies.map((policy) => JSON.stringify([policy]).slice(0, -1)),
    policies,
    asked.flatMap(({ addressKey: key }) => (key === '' ? [] : [key, hashKey(key)])),
  );
  const unnumbered = new Map<string, readonly Candidate[]>();
  for (const { policyNumber, effectiveDate, insuredBy } of asked) {
    const key = `${insuredBy}\0${effectiveDate}`;
    if (policyNumber !== '' || unnumbered.has(key)) continue;
    const query = `${newestFirst(WITHOUT_NUMBERS)} LIMIT ${ALIKE_MAX}`;
    unnumbered.set(key, await candidates(store, query, effectiveDate, insuredBy, since));
  }
  const newest = (
    among: readonly Candidate[],
    { insuredBy, since: from }: DuplicateKey,
    isAlike: (candidate: Candidate) => boolean,
  ) => among.find((one) => one.insuredBy === insuredBy && one.knownAt >= from && isAlike(one))?.project ?? null;
  return {
    withInspectionNumber: (number: string, key: DuplicateKey) =>
      newest(numbered, key, (one) => one.inspectionNumber === number),
    /** Both may be empty: rule 2 may also compare projects without a policy number. */
    withPolicy: (policy: string, date: string, key: DuplicateKey) =>
      newest(
        policy === '' ? (unnumbered.get(`${key.insuredBy}\0${date}`) ?? []) : numbered,
        key,
        (one) => one.policyNumber === policy && one.effectiveDate === date,
      ),
    atAddress: (address: string, key: DuplicateKey) => {
      const forgotten = hashKey(address);
      return newest(numbered, key, (one) => one.addressKey === address || one.addressKey === forgotten);
    },
  };
}

async function candidates(store: Store, sql: string, ...values: readonly SqlValue[]) {
  const rows = await store.driver.query(sql, store.account, ...values);
  const amended = await amendedDetailsByProject(
    store,
    rows.flatMap((row) => textOrNull(row['project_id']) ?? []),
  );
  return rows.map((row) => {
    const { policyNumber, policyEffectiveDate: effectiveDate } = amended.get(textOf(row['project_id'])) ?? {};
    return {
      ...comparedFrom(row),
      ...(policyNumber === undefined ? {} : { policyNumber }),
      ...(effectiveDate === undefined ? {} : { effectiveDate }),
      project: projectIn(row),
    };
  });
}

function projectIn(row: SqlRow) {
  return {
    orderId: Number(row['id']),
    projectId: textOrNull(row['project_id']),
    /** For an unsent order: when it was recorded. */
    createdAt: row['state'] === 'ready' ? Number(row['created_at']) : Number(row['known_at']),
    certain: row['state'] === 'created',
  };
}

export const knownProjectVerbs = { reads: { knownProjects } };
