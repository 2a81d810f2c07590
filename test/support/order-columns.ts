/** The columns that every order needs, by header, and the values of one order. */
export const ORDER_COLUMNS: Readonly<Record<string, string>> = {
  'Insured name': 'Marisol Vega',
  'Insured phone': '813-555-0142',
  'Insured email': 'm@example.com',
  'Street address': '118 Oak Ridge Ln',
  City: 'Tampa',
  State: 'FL',
  'ZIP code': '33609',
  Service: '4-Point',
  'Policy type': 'Homeowners Insurance',
  'House type': 'Residential Single Family',
};
