import { expect } from 'vitest';
import type { SummaryAttribute } from '../../src/contract/summary-attributes.ts';
import { SUMMARY_CATALOG } from '../../src/contract/summary-attributes.ts';
import { collectedSummaries, type Collected } from './collected-summaries.ts';
import type { Row, Untestable } from './row.ts';
import { expectStatus, type Fields, imagesOf, reportsOf, returned } from './steps.ts';

const JSON_TYPES = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  texts: 'array',
  objects: 'array',
  percentages: 'object',
  counts: 'object',
  flags: 'object',
  details: 'object',
} as const;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function at(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (held, key) => (typeof held === 'object' && held !== null ? Reflect.get(held, key) : undefined),
      root,
    );
}

/** Every value an attribute has in a number of objects; absent ones left out. */
function valuesOf(roots: readonly unknown[], path: string): unknown[] {
  return roots.map((root) => at(root, path)).filter((value) => value !== undefined);
}

/** Expects each attribute to occur, in its type, null only (and then somewhere) where it may be; lists of objects item by item. */
function expectAttributes(attributes: readonly SummaryAttribute[], roots: readonly unknown[], where = ''): void {
  for (const attribute of attributes) {
    const { path, type, nullable, items } = attribute;
    const values = valuesOf(roots, path);
    const types = [...new Set(values.map(typeOf))].toSorted();
    expect({ attribute: `${where}${path}`, types }).toEqual({
      attribute: `${where}${path}`,
      types: nullable ? [JSON_TYPES[type], 'null'].toSorted() : [JSON_TYPES[type]],
    });
    for (const value of values) if (value !== null) expectInside(attribute, value);
    if (items !== undefined)
      expectAttributes(
        items,
        values.flat().filter((item) => item !== null),
        `${where}${path}[].`,
      );
  }
}

/** What stands in lists and keyed objects, and which texts. */
function expectInside({ path, type, values, dynamic }: SummaryAttribute, value: unknown): void {
  const inner: Partial<Record<typeof type, string>> = {
    texts: 'string',
    percentages: 'number',
    counts: 'number',
    flags: 'boolean',
  } as const;
  if (inner[type] !== undefined) {
    for (const entry of Object.values(value as object))
      expect({ path, type: typeOf(entry) }).toEqual({ path, type: inner[type] });
  }
  if (values === undefined || dynamic) return;
  for (const entry of [value].flat())
    expect({ path, listed: values.includes(String(entry)), entry }).toEqual({ path, listed: true, entry });
}

/** A row over the attributes whose path begins so. */
function section(id: string, sentence: string, fact: string, ...begins: readonly string[]): Row {
  return {
    id: `summary.${id}`,
    sentence,
    fact,
    async check() {
      const attributes = SUMMARY_CATALOG.filter(({ path }) => begins.some((begin) => path.startsWith(begin)));
      expect(attributes.length).toBeGreaterThan(0);
      expectAttributes(attributes, await collectedSummaries());
    },
  };
}

/** Reports of the full kind, where nothing was closed out. */
async function full(): Promise<Collected[]> {
  return (await collectedSummaries()).filter(({ type }) => type === 'Full-scope Underwriting Report');
}

const EACH = 'returns each attribute in its type, null if nullable';

/** Document: Report summary, what stands below and between its tables. */
const SECTIONS: readonly Row[] = [
  section(
    'top',
    'Top level: `yearBuilt` Number (four-digit year); `lotSize` Number (acres); `livingArea` Number (Sq.Ft.); `addlStructures` List of strings (such as Storage Shed, Barn, Garden, Horse Stable, Gazebo, Guest House, Pergola, Boat Dock); `hazards` List of text comments; `recommendations` List of objects `{ text: String, image: [ { id } ] }`; `factors` (below); `closeoutReasons` (below); `history` (below); `hover` (below).',
    EACH,
    'summary.yearBuilt',
    'summary.lotSize',
    'summary.livingArea',
    'summary.addlStructures',
    'summary.hazards',
    'summary.recommendations',
  ),
  section(
    'exterior.pool',
    'Items: `type` (In-ground, Attached Pool / In-ground, Detached Pool / Above Ground, Attached Pool / Above Ground, Detached Pool; nullable), `size` (Small, Medium, Large; nullable), `hasCage` (Boolean, nullable), `cageSize` (Small, Medium, Large; nullable).',
    `${EACH}; only listed values`,
    'summary.exterior.pool',
  ),
  section(
    'interior.appliances',
    'interior.appliances item: `productType` String (e.g. Air Conditioner, Clothes Dryer, Dishwasher, Furnace/Air Handler, Range / Stove / Oven, Refrigerator, Washing Machine); `subProductType` String; `brand` String; `modelNumber` String; `serialNumber` String; `manufacturedYear` Number; `manufacturedMonth` Number; `age` Number (may be decimal); `remainingLife` Number (decimal allowed); `failureRiskScore` Number (higher means more likely to fail); `failureRiskScoreIfRecallFixed` Number; `recallData` List; `classActionLawsuit` List.',
    EACH,
    'summary.interior.appliances',
  ),
  section(
    'community',
    '**community** (all nullable): `numResidentialUnits` Number, `numBldg` Number, `hasBalcony`, `petsAllowed`, `hasTennisCourt`, `hasPlayground`, `hasBasketballCourt` Boolean.',
    EACH,
    'summary.community.',
  ),
  section(
    'fireProtection',
    '**fireProtection**: `code` Number nullable; `nearestFireStation` Object `{ title: String, type: String, distance: String }`; `nearestFireHydrant` Object `{ distance: String }`.',
    EACH,
    'summary.fireProtection.',
  ),
  section(
    'factors',
    '**factors** (List): item `{ text: String, name: String enum, direction: String nullable/optional, image: nullable (objects with at least id), component: String nullable, location: String }`.',
    EACH,
    'summary.factors',
  ),
  section(
    'history',
    '**history** (List): item `{ dateInspected: String date YYYY-MM-DD, policyNumber: String, image: [ { id } ] }`.',
    EACH,
    'summary.history',
  ),
  section(
    'hover',
    '**hover** (Object, 3D-model measurement data): `hover.hoverTla` (List) contains `livingAreas.floors.entities` (List of `{ area: Number (sq ft), identifier: String, label: String nullable, measured: Boolean (true measured, false estimated), floor: Number }`), `livingAreas.floors.totalArea` Number (sum of floor areas, sq ft), and `attachedStructures.attachedGarages` Object (measurements and details).',
    EACH,
    'summary.hover',
  ),
  section(
    'closeoutReasons',
    '**closeoutReasons** (List of strings, dynamic)',
    'returns at least one text for a closeout',
    'summary.closeoutReasons',
  ),
];

/** Items of a list of objects wherever it stands. */
function itemsAt(roots: readonly unknown[], path: string): Fields[] {
  return valuesOf(roots, path)
    .flat()
    .filter((item) => item !== null) as Fields[];
}

/** A list that compares two inspections; `target` is a pattern of what the changes were noted on. */
function comparisonRow(part: 'roof' | 'exterior', noun: string, target: string): Row {
  return {
    id: `summary.${part}.comparison`,
    sentence:
      part === 'roof'
        ? 'roof.comparison item: `direction` (Front, Right, Rear, Left; dynamic); `change` (No changes was noted. / Slightly damage was noted on the slope. / Moderately damage was noted on the slope. / Significant damage was noted on the slope. / Roof is completely replaced. / Solar panels were noted on the slope.; dynamic); `comment` (String built from direction and change, form `<Direction> Slope: <change>`); `image` (list of objects with at least `id`; at least 2 entries: current and previous inspection).'
        : 'Same item shape as roof.comparison; `comment` form `<Direction> Elevation: <change>`; `change` values are No changes was noted., Slightly / Moderately / Significant damage was noted on the {TARGET}., Roof is completely replaced., Solar panels were noted on the {TARGET}.; {TARGET} is one of siding, door, window, foundation, soffit.',
    fact: 'returns listed directions and changes, comments in this form, two images',
    async check() {
      const change = new RegExp(
        `^(?:No changes was noted\\.|(?:Slightly|Moderately|Significant) damage was noted on ${target}\\.|Roof is completely replaced\\.|Solar panels were noted on ${target}\\.)$`,
      );
      const items = itemsAt(await collectedSummaries(), `summary.${part}.comparison`);
      expect(items.length).toBeGreaterThan(20);
      for (const item of items) {
        expect(item.direction).toMatch(/^(Front|Right|Rear|Left)$/);
        expect(item.change).toMatch(change);
        expect(item.comment).toBe(`${String(item.direction)} ${noun}: ${String(item.change)}`);
        expect((item.image as Fields[]).length).toBeGreaterThanOrEqual(2);
        for (const { id } of item.image as Fields[]) expect(id).toEqual(expect.stringMatching(/\S/));
      }
    },
  };
}

const RULES: readonly Row[] = [
  {
    id: 'summary.envelope',
    sentence:
      'Response of the summary endpoint: `{ report: [ { id: string, type: string, project: {...}, summary: {...} } ] }`.',
    fact: 'returns one report with exactly these four, as listed',
    async check(client) {
      const [report] = await reportsOf(client, await returned(client));
      const { body } = await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`);
      expect(body).toEqual({
        report: [{ id: report?.id, type: report?.type, project: expect.any(Object), summary: expect.any(Object) }],
      });
    },
  },
  {
    id: 'summary.all-that-occur',
    sentence: 'The attributes listed are all that can occur;',
    fact: 'returns no other attribute for many seeded projects',
    async check() {
      const leaves = new Set(SUMMARY_CATALOG.map(({ path }) => path));
      const strange = new Set<string>();
      const walk = (value: unknown, path: string): void => {
        if (leaves.has(path)) return;
        if (typeOf(value) !== 'object') strange.add(path);
        else for (const [key, inner] of Object.entries(value as object)) walk(inner, `${path}.${key}`);
      };
      for (const { project, summary } of await collectedSummaries()) {
        walk(project, 'project');
        walk(summary, 'summary');
      }
      expect([...strange]).toEqual([]);
    },
  },
  {
    id: 'summary.template',
    sentence:
      "the ones actually returned depend on the client account's report template and the service type (only fields in the customized template appear).",
    fact: 'leaves out attributes by service and by account',
    async check() {
      // No interior in a roof report, no roof in a photo-only one; each account leaves out others.
      const all = (await collectedSummaries()).filter(({ type }) => type !== 'Inspection Closeout Report');
      const has = (wanted: string, path: string): boolean[] => [
        ...new Set(
          all.filter(({ order }) => order.serviceName === wanted).map((summary) => at(summary, path) !== undefined),
        ),
      ];
      expect([
        has('Roof Only', 'summary.interior.overallCondition'),
        has('Roof Only', 'summary.roof.overallCondition'),
        has('Photo Only Inspection', 'summary.roof.overallCondition'),
        has('Premium 4-Point', 'summary.interior.overallCondition'),
      ]).toEqual([[false], [true], [false], [true]]);
      const inside = SUMMARY_CATALOG.filter(({ path }) => /^summary\.(risk|bldg|roof|interior)\./.test(path));
      const leftOut = [1, 2, 3].map((seed) => {
        const own = all.filter((summary) => summary.seed === seed && summary.type === 'Full-scope Underwriting Report');
        return inside
          .filter(({ path }) => valuesOf(own, path).length === 0)
          .map(({ path }) => path)
          .join();
      });
      expect([leftOut.every((paths) => paths !== ''), new Set(leftOut).size]).toEqual([true, 3]);
    },
  },
  {
    id: 'summary.nullable',
    sentence: 'Attributes marked nullable may be null.',
    fact: 'returns null and values for nullable attributes, never for others',
    async check() {
      const all = await collectedSummaries();
      const nulls = SUMMARY_CATALOG.filter(({ path }) => valuesOf(all, path).includes(null)).map(({ path }) => path);
      const values = SUMMARY_CATALOG.filter(({ path }) => valuesOf(all, path).some((value) => value !== null)).map(
        ({ path }) => path,
      );
      expect(nulls).toEqual(SUMMARY_CATALOG.filter(({ nullable }) => nullable).map(({ path }) => path));
      expect(values).toEqual(SUMMARY_CATALOG.map(({ path }) => path));
    },
  },
  {
    id: 'summary.dynamic',
    sentence:
      'Lists marked *dynamic* may gain, lose or change values without notice; clients must tolerate unknown values.',
    fact: 'returns unlisted values in dynamic lists only',
    async check() {
      const all = await collectedSummaries();
      const unlisted = SUMMARY_CATALOG.flatMap(({ path, values, dynamic }) =>
        values === undefined
          ? []
          : valuesOf(all, path)
              .flat()
              .filter((value) => typeof value === 'string' && !values.includes(value))
              .map(() => dynamic),
      );
      expect([unlisted.length > 0, unlisted.every((dynamic) => dynamic)]).toEqual([true, true]);
    },
  },
  {
    id: 'summary.percentages',
    sentence: 'Percentage objects map a key to a number.',
    fact: 'returns listed keys only, with numbers that add up to 100',
    async check() {
      for (const path of ['summary.roof.geometry', 'summary.roof.material', 'summary.exterior.siding']) {
        const keys = SUMMARY_CATALOG.find((attribute) => attribute.path === path)?.keys ?? [];
        const objects = valuesOf(await collectedSummaries(), path) as Record<string, number>[];
        expect(objects.length).toBeGreaterThan(10);
        for (const object of objects) {
          expect(Object.keys(object).filter((key) => !keys.includes(key))).toEqual([]);
          expect(Object.values(object).reduce((sum, share) => sum + share, 0)).toBe(100);
        }
      }
    },
  },
  {
    id: 'summary.windProtections',
    sentence: 'Absent or null when none observed.',
    fact: 'never returns an empty list or None observed',
    async check() {
      const lists = valuesOf(await collectedSummaries(), 'summary.bldg.windProtections').filter(
        (value) => value !== null,
      ) as string[][];
      expect(lists.length).toBeGreaterThan(10);
      for (const list of lists) expect([list.length > 0, list.includes('None observed')]).toEqual([true, false]);
    },
  },
  {
    id: 'summary.project.order',
    sentence: 'project.id | Number | Project the report belongs to.',
    fact: "returns the project's details as ordered",
    async check() {
      for (const {
        project,
        order: {
          streetAddress,
          city,
          state,
          serviceName,
          insuredName,
          policyNumber,
          inspectionNumber,
          isRenewal = null,
          supplementalServices = [],
        },
        projectId,
      } of await collectedSummaries()) {
        expect(project).toMatchObject({
          id: Number(projectId),
          serviceName,
          insuredName,
          policyNumber,
          inspectionNumber,
          isRenewal,
          supplementalServices,
          address: { streetAddress, city, state, country: 'US' },
        });
      }
    },
  },
  {
    id: 'summary.project.isRenewal',
    sentence: 'project.isRenewal | Boolean, nullable | New or renewal.',
    fact: 'returns null if the order did not say',
    async check(client) {
      const [report] = await reportsOf(client, await returned(client));
      expect((await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body).toMatchObject({
        report: [{ project: { isRenewal: null } }],
      });
    },
  },
  {
    id: 'summary.project.times',
    sentence: 'project.inspectionTime | Number | Seconds since the UNIX epoch.',
    fact: 'returns seconds from order to inspection to completion to return',
    async check() {
      for (const { project, orderedAt, returnedAt } of await collectedSummaries()) {
        const times = [
          orderedAt / 1000,
          Number(project.inspectionTime),
          Number(project.completionTime),
          returnedAt / 1000,
        ];
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(times[1]).toBeLessThan(times[2] ?? 0);
      }
    },
  },
  {
    id: 'summary.project.zipcode',
    sentence: 'project.address.zipcode | Number | Zipcode part.',
    fact: 'returns 02139 as the number 2139',
    async check() {
      for (const { project } of await collectedSummaries()) expect(project.address).toMatchObject({ zipcode: 2139 });
    },
  },
  {
    id: 'summary.yearBuilt',
    sentence: '`yearBuilt` Number (four-digit year)',
    fact: "returns four digits, and the order's year if it has one",
    async check(client) {
      for (const value of valuesOf(await collectedSummaries(), 'summary.yearBuilt'))
        expect(String(value)).toMatch(/^\d{4}$/);
      const [report] = await reportsOf(
        client,
        await returned(client, { yearBuilt: 1931, serviceName: 'Photo Only Inspection' }),
      );
      expect(
        at((await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`)).body, 'report.0.summary.yearBuilt'),
      ).toBe(1931);
    },
  },
  {
    id: 'summary.risk.companions',
    sentence:
      'risk.hasBusinessOperation | Boolean | Quick flag for a business operation; companion of businessOperation.',
    fact: 'returns true exactly if businessOperation says more than None observed',
    async check() {
      for (const summary of await full()) {
        const [operation, flag] = [
          at(summary, 'summary.risk.businessOperation'),
          at(summary, 'summary.risk.hasBusinessOperation'),
        ];
        if (operation !== undefined && flag !== undefined) expect(flag).toBe(operation !== 'None observed');
      }
    },
  },
  comparisonRow('roof', 'Slope', 'the slope'),
  comparisonRow('exterior', 'Elevation', 'the (?:siding|door|window|foundation|soffit)'),
  {
    id: 'summary.recallData',
    sentence:
      'recallData item (all strings): `recallNumber`, `hazard`, `dueTo`, `fix`, `recallUrl`, `dateRecalled`, `dateStartedBeingSold`, `dateStoppedBeingSold`, `customerRecallStatus` (e.g. FIXED).',
    fact: 'returns exactly these nine texts for an item',
    check: async () =>
      await expectTexts('recallData', [
        'recallNumber',
        'hazard',
        'dueTo',
        'fix',
        'recallUrl',
        'dateRecalled',
        'dateStartedBeingSold',
        'dateStoppedBeingSold',
        'customerRecallStatus',
      ]),
  },
  {
    id: 'summary.classActionLawsuit',
    sentence:
      'classActionLawsuit item (all strings): `caseName`, `caseNumber`, `caseCountry`, `caseDistrict`, `claimDeadline`, `classActionDescription`, `classActionUrl`, `classActionStatus`.',
    fact: 'returns exactly these eight texts for an item',
    check: async () =>
      await expectTexts('classActionLawsuit', [
        'caseName',
        'caseNumber',
        'caseCountry',
        'caseDistrict',
        'claimDeadline',
        'classActionDescription',
        'classActionUrl',
        'classActionStatus',
      ]),
  },
  {
    id: 'summary.factors.location',
    sentence: '`location` is derived from component and direction and equals `N/A` when component is null.',
    fact: 'names component and direction, or N/A without a component',
    async check() {
      const factors = itemsAt(await collectedSummaries(), 'summary.factors');
      expect(factors.some(({ component }) => component === null)).toBe(true);
      for (const { component, direction, location } of factors) {
        expect(location === 'N/A').toBe(component === null);
        if (component !== null) for (const part of [component, direction]) expect(location).toContain(part ?? '');
      }
    },
  },
  {
    id: 'summary.closeoutReasons.values',
    sentence:
      'Inspection was denied by the insured.; Pilot was denied on location.; Insured stated he/she cancelled the policy, and declined the inspection.; Cancellation is confirmed.; Unable to reach insured after multiple attempts. Inspection is closed out.; The insured said this policy is canceled. Inspection is closed out.; Inspection was denied by the insured who was unaware of this insurance policy.; Inspection was denied by the insured, considering it unnecessary.; Inspection was denied by the insured, stating it was previously completed by someone else.; Inspection was denied by the insured without providing a specific reason.',
    fact: 'lists known reasons and condition Closeout in closeout reports only',
    async check() {
      const reasons =
        'Inspection was denied by the insured.|Pilot was denied on location.|Insured stated he/she cancelled the policy, and declined the inspection.|Cancellation is confirmed.|Unable to reach insured after multiple attempts. Inspection is closed out.|The insured said this policy is canceled. Inspection is closed out.|Inspection was denied by the insured who was unaware of this insurance policy.|Inspection was denied by the insured, considering it unnecessary.|Inspection was denied by the insured, stating it was previously completed by someone else.|Inspection was denied by the insured without providing a specific reason.'.split(
          '|',
        );
      for (const { type, summary } of await collectedSummaries()) {
        const closeout = type === 'Inspection Closeout Report';
        expect(summary.closeoutReasons !== undefined).toBe(closeout);
        if (!closeout) continue;
        expect(at(summary, 'risk.overallCondition')).toBe('Closeout');
        for (const reason of summary.closeoutReasons as string[]) expect(reasons).toContain(reason);
      }
    },
  },
  {
    id: 'summary.history.date',
    sentence: '`{ dateInspected: String date YYYY-MM-DD',
    fact: 'returns an existing day in this form',
    async check() {
      const items = itemsAt(await collectedSummaries(), 'summary.history');
      expect(items.length).toBeGreaterThan(0);
      for (const { dateInspected } of items)
        expect(new Date(`${String(dateInspected)}T00:00:00Z`).toISOString().slice(0, 10)).toBe(dateInspected);
    },
  },
  {
    id: 'summary.hover.total',
    sentence: '`livingAreas.floors.totalArea` Number (sum of floor areas, sq ft)',
    fact: 'returns the sum of the floor areas',
    async check() {
      const models = itemsAt(await collectedSummaries(), 'summary.hover.hoverTla');
      expect(models.length).toBeGreaterThan(0);
      for (const model of models) {
        const areas = (at(model, 'livingAreas.floors.entities') as { area: number }[]).map(({ area }) => area);
        expect(at(model, 'livingAreas.floors.totalArea')).toBe(areas.reduce((sum, area) => sum + area, 0));
      }
    },
  },
  {
    id: 'summary.images',
    sentence: 'Path `imageId` string (found via the project image list or the report summary).',
    fact: 'lists and serves every image that a summary names',
    async check(client) {
      const id = await returned(client, { serviceName: 'Premium 4-Point', isRenewal: true });
      const [report] = await reportsOf(client, id);
      const { text } = await client.call('GET', `/v1/report/${report?.id ?? ''}/summary`);
      const named = [...text.matchAll(/"image":\[(.*?)\]/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/"id":"(.*?)"/g)].map((match) => match[1] ?? ''),
      );
      expect(named.length).toBeGreaterThan(0);
      const listed = new Set((await imagesOf(client, id)).map((image) => image.id));
      for (const image of new Set(named)) {
        expect(listed).toContain(image);
        expectStatus(await client.call('GET', `/v1/image/${image}/file`), 200, 307);
      }
    },
  },
];

async function expectTexts(list: string, fields: readonly string[]): Promise<void> {
  const items = itemsAt(await collectedSummaries(), 'summary.interior.appliances').flatMap(
    (appliance) => (appliance[list] ?? []) as Fields[],
  );
  expect(items.length).toBeGreaterThan(0);
  for (const item of items) {
    expect(Object.keys(item).toSorted()).toEqual(fields.toSorted());
    expect(Object.values(item).every((value) => typeof value === 'string')).toBe(true);
  }
}

/** Document: Report summary. */
export const SUMMARY: readonly Row[] = [...RULES, ...SECTIONS];

export const SUMMARY_UNTESTABLE: readonly Untestable[] = [
  {
    id: 'summary.factor-names',
    sentence: 'Enumerated factor names: not shown.',
    reason: 'The document leaves it open; the sandbox has names of its own.',
  },
  {
    id: 'summary.factor-names-grow',
    sentence:
      '`name` is a canonical key for the factor type; the set of names may grow. `component` is the building component where the hazard was found.',
    reason: 'What a name stands for, and that the set may grow, shows in no single answer.',
  },
  {
    id: 'summary.attachedStructures',
    sentence: 'Fields of attachedStructures other than attachedGarages: not shown.',
    reason: 'The document leaves it open; the sandbox shows none.',
  },
];
