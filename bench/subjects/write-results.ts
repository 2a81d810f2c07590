/** Writes the results workbook of N projects with full summaries. Arguments: path, projects. */
import { fullSummary, projectWith, sampleInput, stream } from '../../test/support/full-summary.ts';
import { writeResults } from '../../src/results/write-results.ts';
import { argument, report } from '../measure/subject.ts';

const projects = Array.from({ length: Number(argument(1)) }, (_, index) =>
  projectWith(fullSummary(), { projectId: String(100_001 + index) }),
);
const input = sampleInput([], { projects: () => stream(projects) });

await report(async () => {
  const { columns, projects: written } = await writeResults({ xlsx: argument(0) }, input);
  return { columns: columns.length, projects: written };
});
