import { type Finding, findingsOf } from './attention/findings.ts';
import { projectFacts } from './attention/project-facts.ts';
import { changesBetween } from './changes.ts';
import { mergeReports } from './merge-reports.ts';
import type { ProjectRecord } from './project-columns.ts';
import type { ResultsInput } from './results-input.ts';

/** Every project of the delivery, its reports made one, with what the attention rules find in it, the heaviest first. */
export async function* judgedProjects(input: ResultsInput): AsyncIterable<{ readonly record: ProjectRecord; readonly findings: readonly Finding[] }> {
  for await (const project of input.projects()) {
    const reports = mergeReports(project.reports);
    const findings = findingsOf(reports.record, input.attention, projectFacts(project, input.writtenAt));
    const changes = project.earlier === null ? [] : changesBetween(mergeReports(project.earlier.reports).record, reports.record);
    yield { record: { ...reports, project, points: findings.reduce((sum, { weight }) => sum + weight, 0), changes }, findings };
  }
}
