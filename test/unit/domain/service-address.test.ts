import { expect, test } from 'vitest';
import { readServiceAddress } from '../../../src/domain/service-address.ts';

test.each([
  [' https://inspections.example.com/ ', 'https://inspections.example.com'],
  ['https://Inspections.Example.com:8443/api//', 'https://inspections.example.com:8443/api'],
  ['http://localhost:4010', 'http://localhost:4010'],
  ['http://127.8.0.1', 'http://127.8.0.1'],
  ['http://[::1]:9', 'http://[::1]:9'],
])('accepts %s as %s', (text, baseUrl) => {
  expect(readServiceAddress(text)).toEqual({ kind: 'usable', baseUrl, warning: null });
});

test.each([
  ['', /not an address/],
  ['inspections.example.com', /not an address/],
  ['file:///etc/passwd', /not an address/],
  ['ftp://inspections.example.com', /must begin with https/],
  ['https://user:S3CRET@inspections.example.com', /user name or password/],
  ['https://inspections.example.com?key=S3CRET', /\? or a #/],
  ['https://inspections.example.com/?', /\? or a #/],
  ['https://inspections.example.com/#', /\? or a #/],
  ['http://inspections.example.com', /plain http/],
  ['http://127.0.0.1.example.com', /plain http/],
  ['http://localhost.example.com', /plain http/],
  ['http://10.0.0.1', /plain http/],
  ['http://[::2]', /plain http/],
])('refuses %s', (text, expected) => {
  const address = readServiceAddress(text);
  expect(address).toEqual({ kind: 'unusable', problem: expect.stringMatching(expected) });
  expect(JSON.stringify(address)).not.toContain('S3CRET');
});
