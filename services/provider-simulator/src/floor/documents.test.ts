import type { Manifest } from '@despatch/client/print-run'
import { expect, test } from 'vitest'
import type { LatestEvent } from '../print-run/event-journal.ts'
import type { RunRecord } from '../print-run/run-book.ts'
import {
  decideRecall,
  documentsLost,
  documentsToMake,
  documentsToPost,
  isToBePrinted,
} from './documents.ts'

const manifest = {
  documents: ['D1', 'D2', 'D3', 'D4'].map((documentId) => ({ documentId })),
} as Manifest
const { documents } = manifest
const record: RunRecord = { claimKey: 'key' }
const posting = { postingKey: 'key', handoverAt: '', documentIds: ['D1'] }

test('a document that is refused or recalled is not made', () => {
  const made = documentsToMake(manifest, {
    ...record,
    refusals: [{ documentId: 'D1', reasonCode: 'DIGEST', reason: '' }],
    recalls: [{ recallId: 'one', stopped: ['D3'], tooLate: ['D4'] }],
  })

  expect(made.map(({ documentId }) => documentId)).toEqual(['D2', 'D4'])
})

test.each([
  [undefined, false],
  ['FETCHED', true],
  ['PRINTED', true],
  ['DIVERTED', true],
  ['ENCLOSED', false],
  ['SPOILED', false],
  ['FAILED', false],
] as const)('an attempt that is %s lies on the floor: %s', (type, isOnFloor) => {
  expect(isToBePrinted(type && { attempt: 1, type })).toBe(isOnFloor)
})

test('an enclosed document is posted once, unless it is held', () => {
  const latest: Record<string, LatestEvent> = {
    D1: { attempt: 1, type: 'ENCLOSED' },
    D2: { attempt: 2, type: 'ENCLOSED' },
    D3: { attempt: 1, type: 'ENCLOSED' },
    D4: { attempt: 1, type: 'SPOILED' },
  }
  const held: RunRecord = { ...record, orders: { D3: { outcome: 'hold' } }, postings: [posting] }

  expect(documentsToPost(documents, held, (documentId) => latest[documentId])).toEqual(['D2'])
})

test('a document is lost if it was handed over and is in no posting of the platform', () => {
  const confirmed = { ...posting, documentIds: ['D1', 'D2'], confirmedAt: '2026-01-05T10:00:00Z' }
  const saved = { ...posting, documentIds: ['D3'] }
  const missing = [
    { documentId: 'D1', isPosted: true },
    { documentId: 'D2', isPosted: false },
    { documentId: 'D3', isPosted: false },
    { documentId: 'D4', isPosted: false },
  ]

  expect(documentsLost(missing, { ...record, postings: [confirmed, saved] })).toEqual(['D2'])
})

test('a recall stops what is in no posting', () => {
  const recall = { recallId: 'one', documents: [{ documentId: 'D1' }, { documentId: 'D2' }] }

  expect(decideRecall(recall, { ...record, postings: [posting] })).toEqual({
    recallId: 'one',
    stopped: ['D2'],
    tooLate: ['D1'],
  })
})
