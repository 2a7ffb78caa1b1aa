import { expect, test } from 'vitest'
import { decide as decideQuarantine } from '../stages/quarantine.ts'
import type { FoundFile } from '../stages/quarantine-file.ts'
import { nothingPredefined, predefinedByRecipient } from './predefined-outcome.ts'
import type { Outcome } from './stage.ts'

const submittedAt = new Date('2026-03-02T09:00:00Z')
const uploadBytesMax = 1000
const aStep = (recipientName: string, fileIds: string[] = ['letter']) => ({
  submittedAt,
  pagesMax: 8,
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName,
    address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
  },
  files: fileIds.map((fileId) => ({ fileId })),
})
const predefinedAt = (seconds: number) =>
  predefinedByRecipient({
    uploadBytesMax,
    now: () => new Date(submittedAt.getTime() + seconds * 1000),
  })

const anHour = 3_600_000

test.each<[recipientName: string, found: object, ageMs: number]>([
  ['UAT REJECT EMPTY FILE', { found: 'bytes', bytes: 0 }, 0],
  ['UAT REJECT UNSUPPORTED FILE', { found: 'bytes', bytes: 1, sha256: 'ab' }, 0],
  ['UAT REJECT LARGE FILE', { found: 'too-large', bytes: 1001 }, 0],
  ['UAT REJECT MISSING FILE', { found: 'nothing' }, 2 * anHour],
])('%s is rejected in quarantine with the finding of the stage', (recipientName, found, ageMs) => {
  const file = { fileId: 'letter', position: 0, ...found } as FoundFile
  const decided = decideQuarantine({ ageMs, uploadBytesMax, scanPauseSeconds: 30, files: [file] })

  const { kind, comment, findings } = decided as Extract<Outcome, { kind: 'reject' }>
  expect([kind, findings]).toEqual(['reject', [expect.anything()]])
  expect(predefinedAt(1)('QUARANTINE', aStep(recipientName))).toEqual({ kind, comment, findings })
  expect(predefinedAt(1)('VALIDATING', aStep(recipientName))).toBeUndefined()
})

test('a recipient that is rejected in validation passes quarantine with any files', () => {
  const step = aStep('UAT REJECT TOO MANY PAGES')

  expect(predefinedAt(1)('QUARANTINE', step)).toEqual({ kind: 'advance', transition: 'release' })
  expect(predefinedAt(1)('VALIDATING', step)).toMatchObject({
    kind: 'reject',
    comment: 'The document has 9 pages; at most 8 are allowed',
  })
})

test('a print job without files is rejected as if it had a file', () => {
  expect(predefinedAt(1)('QUARANTINE', aStep('UAT REJECT EMPTY FILE', []))).toMatchObject({
    kind: 'reject',
    comment: 'File scan is empty',
  })
})

test.each([
  [0, 60],
  [59.5, 1],
])('a slow recipient waits: %d seconds later, another %d seconds', (after, seconds) => {
  expect(predefinedAt(after)('VALIDATING', aStep('UAT SLOW VALIDATING'))).toEqual({
    kind: 'wait',
    seconds,
    reason: 'slow on purpose',
  })
})

test('a slow recipient continues after its delay, and waits only in its status', () => {
  expect(predefinedAt(60)('VALIDATING', aStep('UAT SLOW VALIDATING'))).toBeUndefined()
  expect(predefinedAt(0)('QUARANTINE', aStep('UAT SLOW VALIDATING'))).toBeUndefined()
})

test.each([
  'UAT DESPATCH',
  'UAT REFUSE DIGEST',
  'UAT HOLD PRODUCTION',
  'uat reject empty file',
  'UAT REJECT EMPTY FILE ',
  'Ms A Person',
])('%j has no predefined outcome', (recipientName) => {
  expect(predefinedAt(0)('QUARANTINE', aStep(recipientName))).toBeUndefined()
  expect(predefinedAt(0)('VALIDATING', aStep(recipientName))).toBeUndefined()
})

test('outside the test environment no recipient has a predefined outcome', () => {
  expect(nothingPredefined('QUARANTINE', aStep('UAT REJECT EMPTY FILE'))).toBeUndefined()
})
