import type { OrderMove } from '../ledger/orders.ts';

/** What a run moved. */
export class Tally {
  created = 0;
  linked = 0;
  skipped = 0;
  refused = 0;

  add(move: OrderMove): void {
    switch (move.to) {
      case 'created':
        this.created += 1;
        return;
      case 'linked':
        this.linked += 1;
        return;
      case 'skipped':
        this.skipped += 1;
        return;
      case 'refused':
        this.refused += 1;
        return;
      case 'unresolved':
      case 'ready':
      case 'held':
      case 'abandoned':
        return;
    }
  }
}
