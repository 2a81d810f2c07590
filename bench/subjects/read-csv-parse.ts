/** Reads every record of a CSV file with csv-parse, as arrays. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { argument, report } from '../measure/subject.ts';

await report(async () => {
  let rows = 0;
  for await (const _record of createReadStream(argument(0)).pipe(
    parse({ bom: true, delimiter: ',', record_delimiter: ['\r\n', '\n'] }),
  ))
    rows += 1;
  return { rows };
});
