import { expect, test } from 'vitest'
import { normaliseRegistrationNumber } from './registration-number.ts'

test.for<[given: string, normalised: string | undefined]>([
  ['AA19AAA', 'AA19AAA'],
  ['aa19aaa', 'AA19AAA'],
  ['L2wps', 'L2WPS'],
  ['1', '1'],
  ['ABCD1234', 'ABCD1234'],
  ['ABCDE1234', undefined],
  ['', undefined],
  ['AA19 AAA', undefined],
  [' AA19AAA', undefined],
  ['AA19AAA\n', undefined],
  ['AA19-AAA', undefined],
  ['AA19_AAA', undefined],
  ['AA19ÄAA', undefined],
  // each of these becomes ASCII when it is upper-cased
  ['AA19ıAA', undefined],
  ['AA19ſAA', undefined],
  ['ﬀ19AAA', undefined],
  ['ＡＡ19AAA', undefined],
  ['AA１９AAA', undefined],
  ['АА19ААА', undefined],
  ['AA19AA\0', undefined],
  ['AA19🚗', undefined],
])('%j is stored as %j', ([given, normalised]) => {
  expect(normaliseRegistrationNumber(given)).toBe(normalised)
})
