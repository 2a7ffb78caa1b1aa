import { expect, test } from 'vitest'
import { mayCallFrom, parseNetwork } from './networks.ts'

test.each([
  ['203.0.113.0/24', '203.0.113.0', true],
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '203.0.112.255', false],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['203.0.113.128/25', '203.0.113.127', false],
  ['203.0.113.7/32', '203.0.113.7', true],
  ['203.0.113.7/32', '203.0.113.6', false],
  ['203.0.113.7/32', '203.0.113.8', false],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['203.0.113.0/24', '::ffff:203.0.113.9', true],
  ['203.0.113.0/24', '::ffff:cb00:7109', true],
  ['203.0.113.0/24', '::ffff:203.0.114.0', false],
  ['2001:db8::/32', '2001:db8::', true],
  ['2001:db8::/32', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:db8::/32', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:db8::/32', '2001:db9::', false],
  ['2001:DB8:0::/48', '2001:db8::1', true],
  ['2001:db8::7/128', '2001:db8:0:0::7', true],
  ['2001:db8::7/128', '2001:db8::6', false],
  ['2001:db8::7/128', '2001:db8::8', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::/0', '2001:db8::1', true],
  ['::/0', '203.0.113.7', false],
  ['::/0', '::ffff:203.0.113.7', false],
  ['0.0.0.0/0', 'unknown', false],
  ['0.0.0.0/0', '', false],
  ['0.0.0.0/0', '203.0.113.7:1234', false],
  ['0.0.0.0/0', undefined, false],
  ['malformed', '203.0.113.7', false],
])('a consumer of %s may call from %s: %s', (network, address, isAllowed) => {
  expect(mayCallFrom([network], address)).toBe(isAllowed)
})

test('a consumer without networks may call from everywhere, a consumer with several from each of them', () => {
  const both = ['203.0.113.0/24', '2001:db8::/32']

  expect(mayCallFrom([], 'unknown')).toBe(true)
  expect(mayCallFrom([], undefined)).toBe(true)
  expect(mayCallFrom(both, '203.0.113.7')).toBe(true)
  expect(mayCallFrom(both, '2001:db8::7')).toBe(true)
  expect(mayCallFrom(both, '198.51.100.7')).toBe(false)
})

test.each([
  '',
  'everywhere',
  '203.0.113.7',
  '203.0.113.0/',
  '203.0.113.0/33',
  '203.0.113.0/-1',
  '203.0.113.0/24:443',
  '203.0.113.7/24',
  '203.0.113/24',
  '0313.0.113.0/24',
  '203.0.113.0/24 ',
  '2001:db8::/129',
  '2001:db8::1/32',
  '2001:db8::',
  'fe80::%eth0/64',
  '::ffff:203.0.113.0/120',
  '::ffff:0:0/96',
  'example.com/24',
])('refuses as a network: %s', (text) => {
  expect(parseNetwork(text)).toBeUndefined()
})
