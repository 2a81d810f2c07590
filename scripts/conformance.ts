/** Writes docs/conformance.md from the tests in test/conformance. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformancePage, PAGE_PATH } from '../test/conformance/page.ts';

writeFileSync(join(import.meta.dirname, '..', PAGE_PATH), conformancePage());
