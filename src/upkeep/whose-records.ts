import { legacyAccountKey, type ServiceAccount } from '../domain/service-account.ts';
import type { AccountName, LedgerInspection } from '../ledger/ledger.ts';
import type { LedgerMark } from '../ops/ledger-mark.ts';
import { sentence } from '../domain/sentences.ts';

// Under a new name old orders would look new, so a person must first answer which account it is.

export type LedgerProblem = Readonly<{
  kind:
    | 'missing'
    | 'empty'
    | 'damaged'
    | 'older'
    | 'mixed'
    | 'foreign'
    | 'unmarked'
    | 'unfinished'
    | 'elsewhere'
    | 'another-account';
  message: string;
  hint: string;
}>;

export type RecordOwner = ServiceAccount | string;

/** `isOld`: only the workspace may know the latest account. A person must answer the `question` first. */
export function chooseAccount(
  look: LedgerInspection,
  mark: LedgerMark | null,
  whose: RecordOwner | undefined,
  isOld: boolean,
) {
  const there = look.kind === 'there' ? look : { account: null, names: [], used: [], hasRecords: false };
  const remembered = isOld ? mark : null;
  const own = remembered?.accounts.at(-1)?.account ?? there.account;
  if (typeof whose !== 'object') return { own, account: whose ?? own, question: null };
  const used = [
    ...new Set([...(remembered?.accounts ?? []).map(({ account }) => account).toReversed(), ...there.used]),
  ];
  const account =
    remembered?.names.find(({ name }) => name === whose.key)?.account ??
    there.names.find(({ key }) => key === whose.key)?.account ??
    (used.includes(whose.key) ? whose.key : (legacyAccountKey(whose, used) ?? whose.key));
  const isKnown = own === null || own === account || !(isOld || there.hasRecords);
  return { own, account, question: isKnown ? null : anotherAccount(whose, own, there.names, used.includes(account)) };
}

function anotherAccount(
  named: ServiceAccount,
  own: string,
  names: readonly AccountName[],
  isOnRecord: boolean,
): LedgerProblem {
  const was = names.findLast(({ account }) => account === own);
  const parts = [
    ['address', named.address, was?.address],
    ['client id', named.clientId, was?.clientId],
    ['user name', named.username, was?.username],
  ] as const;
  const changed = parts.filter(([, now, before]) => now !== before);
  const what =
    was === undefined ? 'whose name is not on record' : `with another ${changed.map(([part]) => part).join(' and ')}`;
  const words =
    was === undefined
      ? `It is now ${describeAccount(named)}.`
      : changed.map(([part, now, before]) => `The ${part} is now ${now}, and was ${before}.`).join(' ');
  const records = isOnRecord ? 'its own records here count again' : 'it begins without records';
  // Logs keep the message but not the hint: a user name may be an email address.
  return {
    kind: 'another-account',
    message: sentence('account-question', { what }),
    hint: sentence('account-question/hint', { words, records }),
  };
}

export function describeAccount({ address, clientId, username }: ServiceAccount) {
  return `user ${username}, client ${clientId}, at ${address}`;
}

export function isLatestName(look: LedgerInspection, { key }: ServiceAccount, account: string) {
  if (look.kind !== 'there' || look.names.at(-1)?.account !== account) return false;
  return look.names.some((name) => name.key === key && name.account === account);
}

/** A person declared it to be another name. */
export function isDeclaredAlias(look: LedgerInspection, { key }: ServiceAccount) {
  return look.kind === 'there' && look.names.some((name) => name.key === key && name.account !== key);
}
