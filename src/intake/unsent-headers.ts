import { normalisedHeader, otherUnit, unitAdvice } from './known-headers.ts';

/** Columns that many exports have and no order takes as they are, and what to do about each. */
const ADVICE: readonly { readonly names: RegExp; readonly advice: string }[] = [
  {
    names: /^(?:insureds?|namedinsureds?|applicants?|customers?|clients?|policyholders?|owners?)?(?:first|last|middle|given|sur|family)(?:name|initial|nm)?$/,
    advice: 'a part of a name is no field of an order. Write the whole name into one column "Insured name"',
  },
  {
    names: /^(?:property|risk|location|loc|inspection|site)?(?:street)?(?:address|addr)(?:line)?2$|^(?:property|risk|location)?(?:unit|unitnumber|apt|aptnumber|apartment|suite|suitenumber|unitapt|aptunit)$/,
    advice: 'what it says of the address belongs into "Street address", behind the street',
  },
  { names: /^(?:mailing|billing|mail)/, advice: 'inspections are made at the property, not at a mailing address' },
  { names: /^(?:policy|pol)?(?:expiration|expiry|exp|enddate|termend|periodend)/, advice: 'an order does not take the end of the policy' },
];

/** What to do about a column that is known and still not sent; undefined for the others. It continues a sentence. */
export function unsentHeader(header: string): string | undefined {
  const unit = otherUnit(header);
  if (unit !== undefined) return unitAdvice(unit);
  const name = normalisedHeader(header);
  return ADVICE.find(({ names }) => names.test(name))?.advice;
}
