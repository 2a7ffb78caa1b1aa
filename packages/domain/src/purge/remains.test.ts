import { expect, test } from 'vitest'
import type { Finding } from '../preflight/finding.ts'
import {
  remainingComment,
  remainingFindings,
  remainingReason,
  remainingStandardParams,
} from './remains.ts'

test('a purge keeps the production settings of the standard params, in the same shape', () => {
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

test('a purge adds no despatch method to standard params without one', () => {
  const address = { bfpoAddress: { line1: 'A Person', bfpoNumber: 12 } }
  const params = { jobType: 'LETTER', templateReference: 'A', recipientName: 'A', address } as const

  expect(remainingStandardParams(params)).not.toHaveProperty('despatchMethod')
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

test('a purge keeps rule and measures of a finding, and replaces its text by that of the rule', () => {
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
  'a purge removes a %s about the quality of the address, because it describes the recipient',
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
])('a purge keeps of the reason of an event: %s', (_, event, remains) => {
  expect(remainingReason(event)).toBe(remains)
})

test('a purge masks the text of a finding of an unknown rule', () => {
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
])('a purge rewrites the comment of a print job when %s', (_name, findings, comment) => {
  expect(remainingComment(findings)).toBe(comment)
})
