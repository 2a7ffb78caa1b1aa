import { expect, test } from 'vitest'
import type { Finding } from '../preflight/finding.ts'
import {
  remainingComment,
  remainingFindings,
  remainingReason,
  remainingStandardParams,
} from './remains.ts'

test('of the standard params, what says how it was printed stays, in the shape that readers know', () => {
  const remains = remainingStandardParams({
    jobType: 'LETTER',
    templateReference: 'REMINDER',
    businessIdentifier: 'case-7',
    recipientName: 'Ms A Person',
    address: { bfpoAddress: { line1: 'A Person', bfpoNumber: 12 } },
    handlingInstruction: { line1: 'By hand' },
    despatchMethod: 'FIRST',
  })

  expect(remains).toEqual({
    jobType: 'LETTER',
    templateReference: 'REMINDER',
    recipientName: '********',
    address: { unstructuredAddress: { line1: '********', postcode: '********' } },
    despatchMethod: 'FIRST',
  })
})

const note: Finding = {
  rule: 'font-not-embedded',
  severity: 'note',
  fileId: 'passport-of-a-person',
  page: 2,
  detail: 'File passport-of-a-person, page 2: the fonts A-Person-Regular are not embedded',
}
const refusal: Finding = {
  rule: 'file-too-large',
  severity: 'refusal',
  fileId: 'passport-of-a-person',
  measured: { unit: 'bytes', value: 101 },
  allowed: { unit: 'bytes', max: 100 },
  detail: 'File passport-of-a-person has 101 bytes; at most 100 are allowed',
}

test('findings keep their rule and measures, and say no more than the rule', () => {
  expect(remainingFindings([note, refusal])).toEqual([
    {
      rule: 'font-not-embedded',
      severity: 'note',
      page: 2,
      detail: 'Fonts are embedded.',
    },
    {
      rule: 'file-too-large',
      severity: 'refusal',
      measured: { unit: 'bytes', value: 101 },
      allowed: { unit: 'bytes', max: 100 },
      detail: 'A file is no larger than the limit.',
    },
  ])
})

const homeless: Finding = {
  rule: 'address-no-abode',
  severity: 'refusal',
  detail: 'line1 says that there is no address.',
}

test.each(['note', 'refusal'] as const)(
  'a %s about the quality of the address is removed, because it says something about the recipient',
  (severity) => {
    const findings = [{ ...homeless, severity }]
    const event = { transition: 'reject', reason: homeless.detail, findings }

    expect(remainingFindings(findings)).toEqual([])
    expect([remainingComment(findings), remainingReason(event)]).toEqual([null, null])
  },
)

test.each<[name: string, event: Parameters<typeof remainingReason>[0], remains: string | null]>([
  [
    'that a rule refused it, in the words of the rule',
    { transition: 'reject', reason: refusal.detail, findings: [refusal] },
    'A file is no larger than the limit.',
  ],
  ['why it was parked', { transition: 'park', reason: 'TypeError', findings: null }, 'TypeError'],
  ['nothing that people wrote', { transition: 'hold', reason: 'Ask her', findings: null }, null],
])('of the reason of an event there remains %s', (_, event, remains) => {
  expect(remainingReason(event)).toBe(remains)
})

test("a finding of a later release's rule loses its words", () => {
  const later = { ...refusal, rule: 'not-known-yet' } as unknown as Finding

  expect(remainingFindings([later])).toMatchObject([{ rule: 'not-known-yet', detail: '********' }])
})

test.each<[name: string, findings: Finding[], comment: string | null]>([
  ['a rule refused it', [note, refusal], 'A file is no larger than the limit.'],
  [
    'a rule refused it, and its address',
    [homeless, refusal],
    'A file is no larger than the limit.',
  ],
  ['nothing refused it', [note], null],
  ['nothing was found', [], null],
])('the comment of a print job when %s', (_name, findings, comment) => {
  expect(remainingComment(findings)).toBe(comment)
})
