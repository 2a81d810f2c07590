import { holdToDocument } from '../../conformance/hold-to-document.ts';
import { inTurn } from '../../support/proof-size.ts';

holdToDocument((rows) => inTurn(rows, 2));
