import type { CreateProjectRequest } from '../../contract/project.ts';
import type { Visit } from '../progress.ts';
import type { Project } from '../project-store.ts';

export const ACCOUNT_TEMPLATES = ['standard', 'full', 'slim'] as const;
/** `full`: every attribute, whatever the service; `standard`: those of the service but a few; `slim`: what an underwriter cannot do without. */
export type AccountTemplate = (typeof ACCOUNT_TEMPLATES)[number];

/** What an inspection's deliverables are made of: they are a pure function of it. */
export interface Inspection {
  readonly seed: string;
  readonly project: Project;
  /** The inspection could not take place. */
  readonly closeout: boolean;
  readonly visit: Visit;
  /** Which attributes the account's reports hold; `standard` by default. */
  readonly accountTemplate?: AccountTemplate | undefined;
  /** Names the course of the draws: the project's id, or `sample` where staging gives every project the same. */
  readonly key: string;
}

/** The key of every staging project that is given the sample report and images. */
export const SAMPLE_KEY = 'sample';

const SAMPLE_ORDER: CreateProjectRequest = {
  streetAddress: '1 Sample Street',
  city: 'Springfield',
  state: 'IL',
  zipcode: '62701',
  serviceName: '4-Point',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Single Family',
  insuredName: 'Sample Insured',
  insuredPhone: '555-0100',
  insuredEmail: 'sample@insured.example',
  policyNumber: 'SAMPLE',
};

/** It must not tell two projects apart. */
const SAMPLE_VISIT: Visit = { inspectedAt: Date.UTC(2026, 0, 12, 15) / 1000, returnedAt: Date.UTC(2026, 0, 13, 15) / 1000 };

/** The inspection that the sample report tells of, whatever the project ordered. */
export function sampleOf(inspection: Inspection): Inspection {
  const { policyNumber } = SAMPLE_ORDER;
  return { ...inspection, visit: SAMPLE_VISIT, project: { ...inspection.project, id: 0n, request: SAMPLE_ORDER, policyNumber, policyEffectiveDate: undefined } };
}
