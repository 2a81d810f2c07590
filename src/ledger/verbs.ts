import { accountVerbs } from './accounts.ts';
import { artifactVerbs } from './artifacts.ts';
import { attemptVerbs } from './attempts.ts';
import { censusVerbs } from './census.ts';
import { correctionVerbs } from './corrections.ts';
import { decisionVerbs } from './decisions.ts';
import { deliveryVerbs } from './deliveries.ts';
import { fileTransactionVerbs } from './file-transaction.ts';
import { fileVerbs } from './files.ts';
import { followedProjectVerbs } from './followed-projects.ts';
import { historyVerbs } from './history.ts';
import { knownProjectVerbs } from './known-projects.ts';
import { layoutVerbs } from './layouts.ts';
import { lookupVerbs } from './lookups.ts';
import { orderMoveVerbs } from './order-moves.ts';
import { orderVerbs } from './orders.ts';
import { similarOrderVerbs } from './similar-orders.ts';
import { outboxVerbs } from './outbox.ts';
import { projectVerbs } from './projects.ts';
import { receiptVerbs } from './receipts.ts';
import { recoveryVerbs } from './recovery.ts';
import { retentionVerbs } from './retention.ts';
import { rowVerbs } from './rows.ts';
import { settingVerbs } from './settings.ts';
import { newsVerbs } from './store.ts';
import { updateVerbs } from './updates.ts';

export const VERBS = [
  accountVerbs,
  artifactVerbs,
  attemptVerbs,
  censusVerbs,
  correctionVerbs,
  decisionVerbs,
  deliveryVerbs,
  fileTransactionVerbs,
  fileVerbs,
  followedProjectVerbs,
  historyVerbs,
  knownProjectVerbs,
  layoutVerbs,
  lookupVerbs,
  orderVerbs,
  orderMoveVerbs,
  similarOrderVerbs,
  outboxVerbs,
  projectVerbs,
  receiptVerbs,
  recoveryVerbs,
  retentionVerbs,
  rowVerbs,
  settingVerbs,
  newsVerbs,
  updateVerbs,
] as const;
