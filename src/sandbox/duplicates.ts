import { type CreateProjectRequest, DUPLICATE_WINDOW_DAYS } from '../contract/document.ts';
import type { StateDatabase } from './data-file.ts';

const WINDOW_MS = DUPLICATE_WINDOW_DAYS * 86_400_000;

export function keysOf(request: CreateProjectRequest) {
  const { inspectionNumber = '', policyNumber = '', policyEffectiveDate = '', insuredBy = '' } = request;
  return {
    inspectionNumber: JSON.stringify(inspectionNumber),
    policyNumber: JSON.stringify(policyNumber),
    policyEffectiveDate,
    insuredBy: JSON.stringify(insuredBy),
    address: JSON.stringify(comparableAddress(request)),
  };
}

/**
 * The newest by the document's rules 1 to 4: within 30 days (inclusive), same actor and insured-by; by inspection
 * number, else policy number and date; a commercial request also by address, for any policy type.
 */
export function findDuplicate(
  database: StateDatabase,
  request: CreateProjectRequest,
  {
    actor,
    now,
    knownUntil,
    keylessAreDuplicates,
  }: Readonly<{ actor: string; now: number; knownUntil: number; keylessAreDuplicates: boolean }>,
) {
  const { inspectionNumber, policyNumber, policyEffectiveDate, insuredBy, address } = keysOf(request);
  const newest = (
    rule: 'policy number and effective date' | 'inspection number' | 'commercial address',
    condition: string,
    keys: readonly string[],
  ) => {
    const row = database.get(
      `SELECT place FROM project WHERE ${condition} AND actor = ? AND insuredBy = ? AND createdAt BETWEEN ? AND ?
        ORDER BY place DESC LIMIT 1`,
      [...keys, actor, insuredBy, now - WINDOW_MS, knownUntil],
    );
    return row && { rule, place: Number(row['place']) };
  };
  let found;
  if (request.inspectionNumber) found = newest('inspection number', 'inspectionNumber = ?', [inspectionNumber]);
  else if (request.policyNumber || keylessAreDuplicates)
    found = newest('policy number and effective date', 'policyNumber = ? AND policyEffectiveDate = ?', [
      policyNumber,
      policyEffectiveDate,
    ]);
  if (found === undefined && request.policyType === 'Commercial Property Insurance')
    found = newest('commercial address', 'address = ?', [address]);
  return found;
}

export function comparableAddress(request: Pick<CreateProjectRequest, 'streetAddress' | 'city' | 'state' | 'zipcode'>) {
  return `${comparableText(request.streetAddress)}|${comparableText(request.city)}|${request.state}|${request.zipcode.slice(0, 5)}`;
}

export function comparableText(text: string) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}
