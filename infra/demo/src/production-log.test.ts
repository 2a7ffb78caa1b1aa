import type { ProductionEvent } from '@despatch/provider-simulator/production'
import { expect, test } from 'vitest'
import { createProductionLog } from './production-log.ts'

type EventPart<Event = ProductionEvent> = Event extends unknown ? Omit<Event, 'batchNumber'> : never

const cause = { reasonCode: 'SMUDGED', reason: 'The toner is smudged' }
const claim = { manifestDigest: 'a1b2c3d4e5f60718', leaseUntil: '2026-12-24T09:15:30.000Z' }
const handover = { carrier: 'Some Mail', manifestNumber: 'M-1' }

test('a run is described step by step, with one line for events of many documents', () => {
  const lines = describeEvents([
    { kind: 'offered', documentCount: 3, sheetCount: 4, expectedDespatchDate: '2026-12-24' },
    { kind: 'claimed', documentCount: 3, ...claim },
    { kind: 'fetched', documentId: 'D1', bytes: 1_500 },
    { kind: 'fetched', documentId: 'D2', bytes: 1_000 },
    { kind: 'acknowledged', refusedCount: 1 },
    { kind: 'refused', documentId: 'D3', ...cause },
    { kind: 'printed', documentId: 'D1', sheets: 1 },
    { kind: 'spoiled', documentId: 'D1', attempt: 1, ...cause },
    { kind: 'printed', documentId: 'D2', sheets: 2 },
    { kind: 'reprint-authorised', documentId: 'D1', attempt: 2 },
    { kind: 'fetched', documentId: 'D1', bytes: 1_500 },
    { kind: 'reprinted', documentId: 'D1', attempt: 2, sheets: 1 },
    { kind: 'posted', documentCount: 2, ...handover },
    { kind: 'closed', documentCount: 3 },
  ])

  expect(lines).toEqual([
    'found R1 released: 3 documents, 4 sheets, due 2026-12-24',
    'claimed R1: digest a1b2c3d4… frozen, lease to 09:15 UTC',
    'fetched 2 files, 2.5 kB, and checked their digests',
    'acknowledged R1, but for 1 document',
    'refused letter D3: SMUDGED, The toner is smudged',
    'printed 2 documents on 3 sheets',
    'spoiled letter D1: SMUDGED, The toner is smudged',
    'asked to print letter D1 again: authorised as attempt 2',
    'printed letter D1 again, as attempt 2',
    'posted and confirmed 2 letters: Some Mail, M-1',
    'closed R1: 3 documents accounted for',
  ])
})

test('a run of one document is described briefly', () => {
  const lines = describeEvents([
    { kind: 'offered', documentCount: 1, sheetCount: 1 },
    { kind: 'claimed', documentCount: 1, ...claim },
    { kind: 'fetched', documentId: 'D1', bytes: 1_500 },
    { kind: 'acknowledged', refusedCount: 0 },
    { kind: 'printed', documentId: 'D1', sheets: 1 },
    { kind: 'posted', documentCount: 1, ...handover },
    { kind: 'closed', documentCount: 1 },
  ])

  expect(lines).toEqual([
    'found R1 released: 1 document, 1 sheet',
    'closed R1: 1 document accounted for',
  ])
})

test('problems are described even for a run of one document', () => {
  const lines = describeEvents([
    { kind: 'offered', documentCount: 1, sheetCount: 1 },
    { kind: 'printed', documentId: 'D1', sheets: 1 },
    { kind: 'spoiled', documentId: 'D1', attempt: 1, ...cause },
    { kind: 'reprint-authorised', documentId: 'D1', attempt: 2 },
  ])

  expect(lines).toEqual([
    'found R1 released: 1 document, 1 sheet',
    'spoiled letter D1: SMUDGED, The toner is smudged',
    'asked to print letter D1 again: authorised as attempt 2',
  ])
})

test('other production events are described as they happen', () => {
  const lines = describeEvents([
    { kind: 'acknowledged', refusedCount: 0 },
    { kind: 'failed', documentId: 'D1', reasonCode: 'JAM' },
    { kind: 'recalled', documentId: 'D2' },
    { kind: 'returned', documentId: 'D3', reasonCode: 'R01' },
  ])

  expect(lines).toEqual([
    'acknowledged R1',
    'cannot print letter D1: JAM',
    'took letter D2 out, as asked',
    'got letter D3 back: R01',
  ])
})

function describeEvents(events: readonly EventPart[]): string[] {
  const describe = createProductionLog((documentId) => `letter ${documentId}`)
  return events.flatMap((event) => describe({ batchNumber: 'R1', ...event }))
}
