import { expect, test } from 'vitest'
import { parseScannerUrl } from './scanner-address.ts'

test.each([
  ['tcp://clamav:3310', { host: 'clamav', port: 3310 }],
  ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
  ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
  ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
])('%s', (url, address) => {
  expect(parseScannerUrl(url)).toEqual(address)
})

test.each([
  '',
  'clamav:3310',
  'tcp://clamav',
  'tcp://clamav:3310/x',
  'unix://clamd.ctl',
  'http://a:1',
])('refuses %j as the address of a scanner', (url) => {
  expect(() => parseScannerUrl(url)).toThrow(/must be tcp:\/\/host:port or unix:\/\/\/path/)
})
