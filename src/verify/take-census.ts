import type { CensusLine } from './census.ts';
import { countArchive } from './count-archive.ts';
import { countLedger } from './count-ledger.ts';
import { countService } from './count-service.ts';
import type { CensusParts } from './parts.ts';

/** Ledger, service and archive against each other: a line for each thing counted. It changes nothing. Throws ServiceAway. */
export async function* takeCensus(parts: CensusParts): AsyncIterable<CensusLine> {
  yield* countService(parts);
  yield* countLedger(parts);
  yield* countArchive(parts);
}
