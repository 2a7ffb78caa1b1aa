import { Problem } from '@despatch/domain/problem'
import { describe, expect, test } from 'vitest'
import { readRequest } from './dropped-request.ts'
import type { DroppedKind } from './layout.ts'

const read = (kind: DroppedKind, members: unknown) =>
  readRequest({ name: '0001', kind }, Buffer.from(JSON.stringify(members)))

test.each<[DroppedKind, object, object]>([
  [
    'acknowledgement',
    { batchNumber: 'B1', documentCount: 2 },
    { path: '/print-runs/B1/acknowledgement', body: { documentCount: 2 } },
  ],
  [
    'events',
    { batchNumber: 'B1', events: [] },
    { path: '/print-runs/B1/events', body: { events: [] } },
  ],
  [
    'reprints',
    { batchNumber: 'B1', documents: [] },
    { path: '/print-runs/B1/reprints', body: { documents: [] } },
  ],
  [
    'posting',
    { batchNumber: 'B1', carrier: 'C' },
    { path: '/postings', idempotencyKey: '0001', body: { batchNumber: 'B1', carrier: 'C' } },
  ],
  ['confirm', { postingId: 'P1' }, { path: '/postings/P1/confirm' }],
  ['returns', { returns: [] }, { path: '/returns', body: { returns: [] } }],
  ['close', { batchNumber: 'B1' }, { path: '/print-runs/B1/close' }],
  [
    'recall-answer',
    { recallId: 'R1', answer: 'accept', tooLate: ['D1'] },
    { path: '/recall-requests/R1/accept', body: { tooLate: ['D1'] } },
  ],
  [
    'recall-answer',
    { recallId: 'R1', answer: 'reject', reason: 'Posted' },
    { path: '/recall-requests/R1/reject', body: { reason: 'Posted' } },
  ],
  ['heartbeat', {}, { path: '/heartbeat', body: {} }],
])('%s becomes the request of its operation', (kind, members, request) => {
  expect(read(kind, members)).toEqual({ method: 'POST', body: undefined, ...request })
})

test('an id cannot escape its place in the path', () => {
  expect(read('close', { batchNumber: '../../postings/x?y#z' }).path).toBe(
    '/print-runs/..%2F..%2Fpostings%2Fx%3Fy%23z/close',
  )
})

test('an id has at most 60 characters', () => {
  const longest = 'B'.repeat(60)

  expect(read('close', { batchNumber: longest }).path).toBe(`/print-runs/${longest}/close`)
  expect(() => read('close', { batchNumber: `${longest}B` })).toThrow(Problem)
})

describe('refuses', () => {
  test.each<[string, DroppedKind, unknown, string]>([
    [
      'a file without its print run',
      'events',
      { events: [] },
      'batchNumber must be a string of 1 to 60',
    ],
    ['a number for a print run', 'close', { batchNumber: 1 }, 'batchNumber must be a string'],
    ['an empty print run', 'close', { batchNumber: '' }, 'batchNumber must be a string'],
    ['a dot for a posting', 'confirm', { postingId: '..' }, 'postingId must be a string'],
    [
      'a recall without an answer',
      'recall-answer',
      { recallId: 'R' },
      'answer must be accept or reject',
    ],
    ['a list', 'events', [], 'The file is not a JSON object'],
    ['nothing', 'events', null, 'The file is not a JSON object'],
  ])('%s', (_, kind, members, detail) => {
    expect(() => read(kind, members)).toThrow(detail)
  })

  test.each<[string, DroppedKind, string, string]>([
    [
      'a second answer',
      'recall-answer',
      '{"recallId":"R","answer":"reject","answer":"accept"}',
      'answer must occur only once in its object',
    ],
    [
      'a second print run',
      'close',
      '{"batchNumber":"B1","batchNumber":"B2"}',
      'batchNumber must occur only once in its object',
    ],
    [
      'a repeated member inside',
      'events',
      '{"batchNumber":"B1","events":[{},{"type":1,"type":1}]}',
      'events[1].type must occur only once in its object',
    ],
  ])('%s', (_, kind, content, detail) => {
    expect(() => readRequest({ name: '0001', kind }, Buffer.from(content))).toThrow(
      new Problem('unreadable-body', detail),
    )
  })

  test.each([
    ['text', Buffer.from('hello')],
    ['half of a file', Buffer.from('{"events":[')],
    ['other characters than UTF-8', Buffer.from([0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d])],
    ['an empty file', Buffer.alloc(0)],
  ])('%s', (_, content) => {
    const reading = () => readRequest({ name: '0001', kind: 'events' }, content)
    expect(reading).toThrow(Problem)
    expect(reading).toThrow('The file is not JSON in UTF-8')
  })
})
