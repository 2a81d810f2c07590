/** What the page's columns and numbers mean: told where one stands on a term, and all of them in the glossary. */
const MEANINGS = {
  Attention: 'How urgently the house needs a look. The points add up what the attention rules find: within roof, building, liability and so on the gravest reason counts in full, the others a tenth.',
  High: 'About a tenth of the inspected houses: those with the most points.',
  Medium: 'About a quarter of the inspected houses: those with the most points after High.',
  New: 'Since your last delivery: a report came, or a row went back.',
  Changed: 'The report differs from the one before on the same house. Open the house to see both values.',
  House: 'Where it stands. Click it to see its reasons, photos, changes and reports.',
  Insured: 'The insured named in the order.',
  Policy: 'The policy number of the order; without one, its inspection number.',
  'Policy or inspection': 'The policy number of the row; without one, its inspection number.',
  Project: 'The project’s number at the service.',
  Why: 'The grave reason that the fewest other houses have; the house itself lists all of them. During a search or behind a filter, what matches.',
  Suggested: 'What the attention rules suggest for the gravest reason. The decision is yours.',
  'Coverage A': 'Dwelling coverage as it was ordered. The sum over the houses shown stands beside their number.',
  Service: 'The inspection that was ordered.',
  Status: 'The project’s status at the service.',
  Due: 'The due date of the order.',
  Overdue: 'Projects that are not back though their due date has passed.',
  'Why it is late': 'How far the project is, and since when.',
  What: 'Canceled: by the service or somebody there. Closed out: no inspection could take place.',
  Reason: 'Why it ended, in the service’s words.',
  When: 'When it was first seen, UTC.',
  'Rows to fix': 'Rows that went back to their sender, or wait for a decision: nothing is ordered for them yet.',
  Since: 'Since when the row is open.',
  Sender: 'Whose folder the file came in.',
  Agent: 'The agent that the row names.',
  Where: 'The file and the row as it was dropped.',
  'What is wrong': 'What must be fixed before the row can be ordered.',
  'To fix in': 'The corrections workbook that holds the row: fix it there and drop that file in the inbox.',
} as const;

/** A column or a number that is explained. */
export type Term = keyof typeof MEANINGS;

/** As an attribute of the element that names the term. */
export function explained(term: Term): string {
  return ` title="${MEANINGS[term]}"`;
}

/** Unfolded by whoever asks. */
export const GLOSSARY = `<details class="legend" id="glossary"><summary>What the numbers and columns mean</summary><dl>${Object.entries(MEANINGS).map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join('')}</dl></details>`;
