import { describe, expect, test } from 'vitest';
import { SERVICE_NAMES, SUPPLEMENTAL_SERVICES } from '../../../../src/contract/document.ts';
import { fieldNamed } from '../../../../src/intake/fields.ts';
import { coerceBoolean, coerceChoice, coerceList, senderWords } from '../../../../src/intake/values/choice.ts';
import { coercionInShort } from '../../../support/coercions.ts';

const SERVICES: readonly string[] = SERVICE_NAMES;
const EXTRAS: readonly string[] = SUPPLEMENTAL_SERVICES;

const proposalOf = (read: ReturnType<typeof coerceChoice>) => (read.kind === 'wrong' ? (read.proposal ?? null) : read);

describe('senderWords', () => {
  const words = senderWords({ '4 pt': '4-Point', Exterior: 'Exterior', 'Roof Only': '4-Point', ours: 'Gas Station' }, [
    { field: 'serviceName', word: '4-PT', value: 'Premium 4-Point' },
  ]);

  test('ranks a confirmed meaning above the config', () => {
    expect(coercionInShort(coerceChoice('4 PT', SERVICES, words))).toBe('~Premium 4-Point');
  });

  test('ranks a configured meaning above the list', () => {
    expect(coercionInShort(coerceChoice('Roof Only', SERVICES, words))).toBe('~4-Point');
  });

  test('repairs nothing if a word means itself', () => {
    expect(coercionInShort(coerceChoice('Exterior', SERVICES, words))).toBe('=Exterior');
  });

  test('ignores a meaning that the field does not list', () => {
    expect(coercionInShort(coerceChoice('ours', SERVICES, words))).toBe('!value-not-listed');
  });
});

describe('coerceChoice', () => {
  test.each([
    ['4-Point', '=4-Point'],
    ['4–POINT', '~4-Point'],
    ['4 point', '~4-Point'],
    ['roof inspection', '~Roof Only'],
    ['Roof-Inspection', '~Roof Only'],
    ['', '!value-not-listed'],
  ])('reads %j as %s', (text, expected) => {
    expect(coercionInShort(coerceChoice(text, SERVICES))).toBe(expected);
  });

  test.each([
    ['4-Point, Roof Only', null],
    ['4-Point and roof inspection', null],
    ['4-Point/Exterior', null],
    ['4-Point | Exterior', null],
    ['4-Point + hv', null],
    ['Roof Only & roof', 'Roof Only'],
    ['Roof Only,', 'Roof Only'],
    ['Roof Only, zzz', 'Roof Only'],
    ['roof cert', 'Roof Only'],
    ['Exteriorr', 'Exterior'],
    ['qqq', null],
  ])('proposes for %s the value %s', (text, proposal) => {
    expect(proposalOf(coerceChoice(text, SERVICES))).toBe(proposal);
  });
});

describe('coerceChoice', () => {
  test.each([
    ['serviceName', '4-Point', ['4PTS', '4 puntos']],
    ['serviceName', 'Exterior', ['Exterior w/ photos', 'Exterior Obs', 'Full Exterior', 'Residential Exterior']],
    ['serviceName', 'Photo Only Inspection', ['Photo', 'Photos', 'Photo Insp']],
    ['serviceName', 'Snap360', ['SNAP']],
    ['serviceName', 'Self Exterior Underwriting', ['Self Ext']],
    ['serviceName', 'Self 4-Point Underwriting', ['Self inspect 4 pt']],
    ['policyType', 'Homeowners Insurance', ['DF-3', 'Landlord', 'Rental Dwelling', 'TX HO-A', 'Residential', 'MH-3']],
    ['houseType', 'Residential Single Family', ['House', 'Single Fam Detached', 'Log home', 'Casa']],
    ['houseType', 'Residential Multi Family', ['2 Fam', '3F', 'Quad', 'Multi', 'Dúplex']],
    ['houseType', 'Residential Townhouse', ['Row']],
    ['houseType', 'Residential Condo', ['Condominio']],
    ['houseType', 'Mobile Home', ['Manuf']],
    ['houseType', 'General Commercial', ['Office', 'Retail', 'Warehouse', 'Strip Mall', 'Church', 'Office/Retail']],
    ['houseType', 'Habitational', ['Apts', 'Apartment Bldg', 'Condo Assoc', 'Hab']],
    ['houseType', 'Restaurant', ['Rest.', 'Pizzeria', 'Cafe']],
    ['houseType', 'Garage', ['Auto Repair Shop', 'Body shop', 'Tire Shop']],
    ['houseType', 'Gas Station', ['Gas', 'Gas / C-store', 'Convenience store w/ gas']],
  ] as const)('reads for %s as %s: %j', (name, meant, texts) => {
    const { values = [] } = fieldNamed(name);
    expect(texts.map((text) => coercionInShort(coerceChoice(text, values)))).toEqual(texts.map(() => `~${meant}`));
  });

  test.each([
    ['serviceName', ['Full', 'Premium', 'HV', 'Roof Cert', 'Self', 'Interior/Exterior']],
    ['policyType', ['Condo', 'Mobile Home', 'MH', 'HOA', 'Commercial', 'Seasonal']],
    ['houseType', ['Home', 'Single', 'DW', 'SW', 'MF', 'HOA', 'LRO', 'Bar', 'C-store', 'Farmhouse', 'Dwelling', 'Apt']],
  ] as const)('asks for %s what is meant by %j', (name, texts) => {
    const { values = [] } = fieldNamed(name);
    expect(texts.map((text) => coerceChoice(text, values).kind)).toEqual(texts.map(() => 'wrong'));
  });

  test.each([
    [
      'serviceName',
      'Exterior',
      ['Order exterior inspection', 'Inspection - Exterior', 'Exterior UW', 'Ext insp w/ photos'],
    ],
    ['serviceName', '4-Point', ['Order 4-point inspection', '4 Point w/ photos', 'Four (4) Point', '4PNT']],
    ['serviceName', 'Premium 4-Point', ['Premium 4-Point Inspection Report']],
    ['policyType', 'Homeowners Insurance', ['DFIRE', 'HOMEO', 'Dwelling DP-3', 'HO-A', 'TDP-3', 'HOPHomeowners']],
    ['policyType', 'Homeowners Insurance', ['Condo (HO6)', 'DP3 Rental', 'HO3-Owner Occ', 'Mobile Home MH3']],
    ['policyType', 'Commercial Property Insurance', ['Comm. Property', 'Package', 'CPKG', 'Businessowner', 'LRO']],
    ['policyType', 'Farm & Ranch Insurance', ['Farmowners FO-3', 'FO', 'Farm Package', 'Ranch Owners']],
    ['houseType', 'Residential Single Family', ['Dwelling - Single Family', 'RES-SFD', 'Single Fam Det', 'Colonial']],
    ['houseType', 'Residential Condo', ['Condo - High Rise', 'Garden condominium', 'Condos']],
    ['houseType', 'Residential Townhouse', ['Townhouse - End Unit']],
    [
      'houseType',
      'Residential Multi Family',
      ['2-4 Fam', 'Multi-Family (2-4)', 'Three decker', 'Duplex (owner occupied)', 'Two Family Home', '2 Family House'],
    ],
    ['houseType', 'Mobile Home', ['Double Wide MH']],
    ['houseType', 'Habitational', ['Garden apartments']],
    ['houseType', 'Restaurant', ['Restaurants - w/ liquor', 'Restaurant/Bar']],
    ['houseType', 'Garage', ['Auto Repair Shops', 'Auto Service & Repair']],
    ['houseType', 'Gas Station', ['Gasoline Stations', 'Gas Stations']],
    ['houseType', 'General Commercial', ['Offices - LRO', 'Warehouses', 'Retail Stores']],
    ['serviceName', 'Exterior', ['Exterior w/ pics', 'Basic Exterior', 'Commercial Exterior']],
    ['serviceName', '4-Point', ['Citizens 4-Point', 'Four Point Inspection (FL)', 'Update 4pt']],
    ['serviceName', 'Photo Only Inspection', ['Pics']],
    ['serviceName', 'Self Exterior Underwriting', ['Self Survey Exterior']],
    [
      'policyType',
      'Homeowners Insurance',
      ['HO3 Owner', 'HO-6 Unitowner', 'Unit Owners', 'DF', 'DFP', 'Rental', 'HNW'],
    ],
    ['policyType', 'Homeowners Insurance', ['Dwelling Basic', 'Homeowners (Admitted)', 'NonAdmitted HO3', 'E&S Home']],
    ['policyType', 'Commercial Property Insurance', ["Comm'l Property", 'Comml Pkg']],
    ['policyType', 'Farm & Ranch Insurance', ['Ranch & Farm']],
    ['houseType', 'Residential Single Family', ['Sgl Fam', 'Single Fam Dwlg', 'Split Level', 'Cottage', 'Cabin']],
    ['houseType', 'Residential Townhouse', ['Twnhse', 'Townhome (Int)', 'Townhouse - Middle']],
    ['houseType', 'Residential Multi Family', ['Dup', '2-Unit', '3 Units']],
    ['houseType', 'Residential Condo', ['Cndo', 'Condo Hi-Rise']],
    ['houseType', 'Mobile Home', ['Mfd']],
  ] as const)('reads for %s as %s among other words: %j', (name, meant, texts) => {
    const { values = [] } = fieldNamed(name);
    expect(texts.map((text) => coercionInShort(coerceChoice(text, values)))).toEqual(texts.map(() => `~${meant}`));
  });

  test.each([
    [
      'serviceName',
      ['Do not order exterior', 'Exterior inspection received', 'Cancel exterior order', 'Premium Exterior'],
    ],
    ['serviceName', ['Exterior photos', 'Exterior Underwriting', 'Order', 'Inspection report']],
    [
      'policyType',
      ['Residential Condo', 'Mobile Home', 'Condo policy', 'HOA Plus', 'HO3-123456', 'HO3 Commercial Property'],
    ],
    ['serviceName', ['Roof Condition', 'Ext Photos', 'Basic', 'Citizens', 'Commercial']],
    ['policyType', ['HOA+', 'Vacant Dwelling', 'Investment Property', 'PL', 'CL', 'Ag', 'Owner', 'Admitted', 'HO9']],
    ['houseType', ['Villa', 'Patio Home', 'Modular', 'Interior', 'Residence', '2 Story']],
    ['policyType', ['Home Package', 'Wind Only', 'Builders Risk', 'Fire', 'HMP', 'Commercial Farm']],
    [
      'houseType',
      ['Office Condo', 'Single Family Condo', 'Mobile Home Park', 'SF Attached', 'Row condo', 'Dwelling, detached'],
    ],
    ['houseType', ['Fuel Storage', 'Store w/ apartments', 'Condo Garage', 'Mixed Use', 'Bar/Tavern', 'Twin']],
  ] as const)('still asks for %s what is meant by %j', (name, texts) => {
    const { values = [] } = fieldNamed(name);
    expect(texts.map((text) => coerceChoice(text, values).kind)).toEqual(texts.map(() => 'wrong'));
  });

  test.each([
    ['serviceName', 'Interior & Exterior', null],
    ['serviceName', 'Interior', null],
    ['policyType', 'Condo', 'Homeowners Insurance'],
    ['serviceName', 'Int/Ext', null],
    ['serviceName', 'Self Inspection', null],
    ['serviceName', 'Exterior Underwriting', 'Exterior'],
    ['serviceName', 'Internet Exterior', 'Exterior'],
    ['houseType', 'Residential', null],
    ['houseType', 'Modular Home', 'Residential Single Family'],
  ] as const)('offers for %s %j: %s', (name, text, proposal) => {
    expect(proposalOf(coerceChoice(text, fieldNamed(name).values ?? []))).toBe(proposal);
  });

  test('proposes a single family house, not a mobile home, for Home', () => {
    expect(proposalOf(coerceChoice('Home', fieldNamed('houseType').values ?? []))).toBe('Residential Single Family');
  });
});

describe('coerceList', () => {
  test.each([
    ['RC Report', '=["RC Report"]'],
    ['rc report', '~["RC Report"]'],
    ['RC Report, Sinkhole', '=["RC Report","Sinkhole"]'],
    ['RC Report,Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report;Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report | Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report/Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report & Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report + Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report\r\nSinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Report AND Sinkhole', '~["RC Report","Sinkhole"]'],
    ['RC Reportand Sinkhole', '!value-not-listed'],
    ['Sinkhole, Sinkhole', '~["Sinkhole"]'],
    ['Sinkhole,', '~["Sinkhole"]'],
    [' ; , ', '~'],
    ['Sinkhole, zzz', '!value-not-listed'],
  ])('reads %j as %s', (text, expected) => {
    expect(coercionInShort(coerceList(text, EXTRAS))).toBe(expected);
  });

  test("reads a sender's word, alone and among others", () => {
    const words = senderWords({ holes: 'Sinkhole' });
    expect(coercionInShort(coerceList('holes', EXTRAS, words))).toBe('~["Sinkhole"]');
    expect(coercionInShort(coerceList('RC Report, holes', EXTRAS, words))).toBe('~["RC Report","Sinkhole"]');
  });

  test.each([
    ['Sinkholes', 'Sinkhole'],
    ['RC Report, Sinkholes', null],
  ])('proposes for %s the value %s', (text, proposal) => {
    expect(proposalOf(coerceList(text, EXTRAS))).toBe(proposal);
  });
});

describe('coerceBoolean', () => {
  test.each([
    ['Yes', '=true'],
    ['NO', '=false'],
    ['y', '~true'],
    ['1', '~true'],
    ['1.0', '~true'],
    ['0.00', '~false'],
    ['2.0', '!not-yes-or-no'],
    ['11.0', '!not-yes-or-no'],
    ['✔\ufe0f', '~true'],
    ['Renewal', '~true'],
    ['New Business', '~false'],
    ['maybe', '!not-yes-or-no'],
  ])('reads %s under isRenewal as %s', (text, expected) => {
    expect(coercionInShort(coerceBoolean(text, 'isRenewal'))).toBe(expected);
  });

  test('reads no renewal word under another field', () => {
    expect(coercionInShort(coerceBoolean('Renewal', 'allowDuplication'))).toBe('!not-yes-or-no');
  });
});
