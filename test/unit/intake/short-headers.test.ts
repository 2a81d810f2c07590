import { expect, test } from 'vitest';
import type { FieldName } from '../../../src/intake/fields.ts';
import { shortHeaderField } from '../../../src/intake/header/known-headers.ts';

const among = (...fields: readonly FieldName[]) => ({ fields: new Set(fields) });

test('a lone Phone, Email or Name is the insured’s where the row names no agent', () => {
  const others = among('streetAddress', 'policyNumber');
  expect(shortHeaderField('Phone', others)).toBe('insuredPhone');
  expect(shortHeaderField('E-Mail', others)).toBe('insuredEmail');
  expect(shortHeaderField('Client Name', others)).toBe('insuredName');
});

test('with an agent in the row it is the insured’s only where the agent has a column of his own for it', () => {
  expect(shortHeaderField('Phone', among('insuredName', 'agentName'))).toBeUndefined();
  expect(shortHeaderField('Phone', among('insuredName', 'agentName', 'agentPhone'))).toBe('insuredPhone');
});

test('it is never taken beside the full name', () => {
  expect(shortHeaderField('Phone', among('insuredPhone'))).toBeUndefined();
  expect(shortHeaderField('Type', among())).toBeUndefined();
});

test('a header that says whose it is needs nobody else', () => {
  expect(shortHeaderField('Insured Cell Phone', among('insuredName', 'agentName'))).toBe('insuredPhone');
});

test('what stands behind the insured’s columns is the insured’s, and behind the agent’s it is not sure', () => {
  const others = among('insuredName', 'agentName');
  expect(shortHeaderField('Email', { ...others, leftOf: 'insured' })).toBe('insuredEmail');
  expect(shortHeaderField('Email', { ...among('insuredName'), leftOf: 'agent' })).toBeUndefined();
});
