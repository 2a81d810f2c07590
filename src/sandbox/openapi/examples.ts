/** All examples are one self-inspection in Cambridge, from the order to the report. */

const ADDRESS = { streetAddress: '12 Oak Street', city: 'Cambridge', state: 'MA', zipcode: '02139' };

export const ORDER = {
  ...ADDRESS,
  serviceName: 'Self 4-Point Underwriting',
  policyType: 'Homeowners Insurance',
  houseType: 'Residential Single Family',
  insuredName: 'Ann Lee',
  insuredPhone: '617-555-0100',
  insuredEmail: 'ann.lee@insured.example',
  policyNumber: 'HO-204417',
  policyEffectiveDate: '2026-09-01',
  inspectionNumber: 'A-1017',
  yearBuilt: 1987,
  dwellingCoverage: 412_000,
  allowDuplication: false,
};

const ID = 100_001;
const { allowDuplication: _requestOnly, ...ordered } = ORDER;

export const PROJECT = {
  id: ID,
  ...ordered,
  country: 'US',
  isRenewal: null,
  supplementalServices: null,
  lat: 42.366_901,
  lng: -71.105_98,
  operatingCompany: 'Sandbox Inspection Services',
  inspectionCode: 'K7QX2M',
  inspectionLink: 'https://self-inspection.example/start/K7QX2M',
};

export const SEARCH_ITEM = {
  id: ID,
  ...ADDRESS,
  country: 'US',
  serviceName: ORDER.serviceName,
  status: 'Returned to Client',
  policyNumber: ORDER.policyNumber,
  inspectionNumber: ORDER.inspectionNumber,
};

export const UPDATE = { policyNumber: 'HO-204417-R1', policyEffectiveDate: '' };
export const UPDATED = { id: ID, ...UPDATE };
export const CANCELLATION = { value: 'Project Canceled', comment: 'The insured moved the policy elsewhere.' };
export const statusOf = (status: string): { id: number; status: string } => ({ id: ID, status });

const REPORT_ID = `R${ID}-1`;
const REPORT_TYPE = 'Full-scope Underwriting Report';
export const REPORTS = { id: ID, report: [{ id: REPORT_ID, type: REPORT_TYPE }] };
export const REPORT_URL = {
  url: `http://127.0.0.1:40124/files/report/${REPORT_ID}.pdf?expires=1788000300&signature=Zr5v0aXqk3Lw`,
};
export const IMAGES = {
  id: ID,
  image: [
    { id: `I${ID}-1`, source: 'Selfapp', type: 'Elevation', direction: 'Front' },
    { id: `I${ID}-2`, source: 'Selfapp', type: 'Roof', direction: 'Overview' },
  ],
};

export const SUMMARY = {
  id: REPORT_ID,
  type: REPORT_TYPE,
  project: {
    id: ID,
    inspectionNumber: ORDER.inspectionNumber,
    serviceName: ORDER.serviceName,
    insuredName: ORDER.insuredName,
    inspectionTime: 1_787_900_400,
    completionTime: 1_787_986_800,
    policyNumber: ORDER.policyNumber,
    supplementalServices: [],
    isRenewal: null,
    address: { ...ADDRESS, country: 'US', zipcode: 2139 },
  },
  summary: {
    yearBuilt: 1987,
    livingArea: 2140,
    hazards: ['A tree limb hangs over the roof.'],
    recommendations: [{ text: 'Cut back the tree limb.', image: [{ id: `I${ID}-2` }] }],
    risk: {
      overallCondition: 'Average',
      vacant: false,
      forSale: null,
      waterBody: { type: 'None observed', distance: null },
    },
    roof: { estAge: '5 - 10 years', geometry: { Gable: 80, Flat: 20 }, hasTarp: false, hasHoles: null },
    factors: [
      {
        text: 'Tree limb over the roof, Rear',
        name: 'TREE_LIMB',
        direction: 'Rear',
        image: [{ id: `I${ID}-2` }],
        component: 'Roof',
        location: 'Roof - Rear',
      },
      {
        text: 'No smoke alarm was found.',
        name: 'NO_SMOKE_ALARM',
        direction: null,
        image: null,
        component: null,
        location: 'N/A',
      },
    ],
  },
};

export const PASSWORD_GRANT = {
  grant_type: 'password',
  username: 'analyst@staging.example',
  password: 'sandbox-staging-password',
};
export const REFRESH_GRANT = { grant_type: 'refresh_token', refresh_token: 'kR2vXo8QyD1mWc5TbN7uHs4e' };
export const TOKEN = {
  access_token: 'b9LqT3xZf0JrYw6GdVa2KpM8',
  token_type: 'bearer',
  refresh_token: 'kR2vXo8QyD1mWc5TbN7uHs4e',
  expires_in: 599,
  scope: 'read write',
  user_id: 1,
  jti: 'Uc4sEo1nRx7i',
};
