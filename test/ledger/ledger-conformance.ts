import { describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { ACCOUNT_FACTS } from './account-facts.ts';
import { COLLECT_FACTS } from './collect-facts.ts';
import { COLUMN_FACTS } from './column-facts.ts';
import { DECISION_FACTS } from './decision-facts.ts';
import { DURABILITY_FACTS } from './durability-facts.ts';
import { EARLIER_REPORT_FACTS } from './earlier-report-facts.ts';
import { FILE_FACTS } from './file-facts.ts';
import { HAND_OVER_FACTS } from './hand-over-facts.ts';
import { KNOWN_PROJECT_FACTS } from './known-project-facts.ts';
import { LAYOUT_FACTS } from './layout-facts.ts';
import type { LedgerFact } from './ledger-fact.ts';
import { ORDER_FACTS } from './order-facts.ts';
import { OUTBOX_FACTS } from './outbox-facts.ts';
import { PACE_FACTS } from './pace-facts.ts';
import { PROJECT_FACTS } from './project-facts.ts';
import { RECEIPT_FACTS } from './receipt-facts.ts';
import { SENDER_FACTS } from './sender-facts.ts';
import { UPDATE_FACTS } from './update-facts.ts';
import { WENT_BACK_FACTS } from './went-back-facts.ts';

/** A place for one ledger, empty at first, that can be opened more than once. */
export interface LedgerHome extends AsyncDisposable {
  open(account: string): Promise<Ledger>;
}

const ACCOUNT = 'an account';

/** Checks a ledger against the interface's promises, or against every so many of them. `makeHome` gives a new, empty place; the suite closes all that it opened. */
export function ledgerConformance(
  name: string,
  makeHome: (clock: VirtualClock) => Promise<LedgerHome>,
  every = 1,
): void {
  const groups: readonly (readonly [string, readonly LedgerFact[]])[] = [
    ['files', FILE_FACTS],
    ['senders', SENDER_FACTS],
    ['layouts', LAYOUT_FACTS],
    ['rejected rows', WENT_BACK_FACTS],
    ['receipts', RECEIPT_FACTS],
    ['orders', ORDER_FACTS],
    ['projects', PROJECT_FACTS],
    ['collecting', COLLECT_FACTS],
    ['known projects', KNOWN_PROJECT_FACTS],
    ['hand-over', HAND_OVER_FACTS],
    ['updates and questions', UPDATE_FACTS],
    ['accounts', ACCOUNT_FACTS],
    ['pace', PACE_FACTS],
    ['columns of the results', COLUMN_FACTS],
    ['decisions', DECISION_FACTS],
    ['earlier reports', EARLIER_REPORT_FACTS],
    ['outbox', OUTBOX_FACTS],
    ['durability', DURABILITY_FACTS],
  ];
  describe.each(groups)(`${name}, %s`, (_group, facts) => {
    test.each(facts.filter((_fact, index) => index % every === 0))('$fact', async ({ holds }) => {
      expect.hasAssertions();
      await using opened = new AsyncDisposableStack();
      const clock = createVirtualClock();
      const home = opened.use(await makeHome(clock));
      const openAgain = async (account = ACCOUNT): Promise<Ledger> => opened.use(await home.open(account));
      await holds({ ledger: await openAgain(), clock, openAgain });
    });
  });
}
