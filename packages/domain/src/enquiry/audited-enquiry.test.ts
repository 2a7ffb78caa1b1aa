import { expect, test } from 'vitest'
import { type EnquiryOutcome, isEnquiryPurpose, outcomeOf } from './audited-enquiry.ts'

test.for<[status: number, told: EnquiryOutcome | undefined, outcome: EnquiryOutcome]>([
  [200, undefined, 'found'],
  [200, 'found', 'found'],
  [200, 'partial', 'partial'],
  [200, 'not-found', 'not-found'],
  [206, 'partial', 'partial'],
  [400, 'found', 'refused'],
  [403, undefined, 'refused'],
  [404, 'found', 'not-found'],
  [413, undefined, 'refused'],
  [500, 'found', 'failed'],
  [502, 'partial', 'failed'],
  [504, undefined, 'failed'],
])(
  'an enquiry answered with %s and reported as %s has the outcome %s',
  ([status, told, outcome]) => {
    expect(outcomeOf(status, told)).toBe(outcome)
  },
)

test.for([
  ['DRIVER-CHECK', true],
  ['case 2026/17: renewal', true],
  ['a.b_c', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['two\nlines', false],
  ['Zoë', false],
  ['a;b', false],
  ['somebody@example.org', false],
] as const)('%j may be a purpose: %s', ([text, expected]) => {
  expect(isEnquiryPurpose(text)).toBe(expected)
})
