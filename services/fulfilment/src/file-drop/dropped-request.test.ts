import { Problem } from '@despatch/domain/problem'
import { describe, expect, test } from 'vitest'
import { readRequest } from './dropped-request.ts'
import type { DroppedKind } from './layout.ts'

const read = (kind: DroppedKind, members: unknown) =>
  readRequest({ name: '0001', kind }, Buffer.from(JSON.stringify(members)))

const ofRun = { batchNumber: 'B1' }
const posted = { ...ofRun, carrier: 'C' }
const accepted = { recallId: 'R1', answer: 'accept' }
const rejected = { recallId: 'R1', answer: 'reject', reason: 'Posted' }

test.each<[DroppedKind, object, path: string, body?: object]>([
  ['acknowledgement', { ...ofRun, a: 2 }, '/print-runs/B1/acknowledgement', { a: 2 }],
  ['events', { ...ofRun, events: [] }, '/print-runs/B1/events', { events: [] }],
  ['reprints', { ...ofRun, documents: [] }, '/print-runs/B1/reprints', { documents: [] }],
  ['posting', posted, '/postings', posted],
  ['confirm', { postingId: 'P1' }, '/postings/P1/confirm'],
  ['returns', { returns: [] }, '/returns', { returns: [] }],
  ['close', ofRun, '/print-runs/B1/close'],
  ['recall-answer', { ...accepted, tooLate: [] }, '/recall-requests/R1/accept', { tooLate: [] }],
  ['recall-answer', rejected, '/recall-requests/R1/reject', { reason: 'Posted' }],
  ['heartbeat', {}, '/heartbeat', {}],
])('%s becomes the request of its operation', (kind, members, path, body) => {
  const key = kind === 'posting' && { idempotencyKey: '0001' }
  expect(read(kind, members)).toEqual({ method: 'POST', path, body, ...key })
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
    ['no print run', 'events', { events: [] }, 'batchNumber must be a string of 1 to 60'],
    ['a number for a print run', 'close', { batchNumber: 1 }, 'batchNumber must be a string'],
    ['an empty print run', 'close', { batchNumber: '' }, 'batchNumber must be a string'],
    ['a dot for a posting', 'confirm', { postingId: '..' }, 'postingId must be a string'],
    ['no answer', 'recall-answer', { recallId: 'R' }, 'answer must be accept or reject'],
    ['a list', 'events', [], 'The file is not a JSON object'],
    ['nothing', 'events', null, 'The file is not a JSON object'],
  ])('%s', (_, kind, members, detail) => {
    expect(() => read(kind, members)).toThrow(detail)
  })

  test.each([
    ['answer', '{"recallId":"R","answer":"reject","answer":"accept"}'],
    ['events[1].type', '{"recallId":"R","events":[{},{"type":1,"type":1}]}'],
  ])('a second %s', (member, content) => {
    expect(() =>
      readRequest({ name: '0001', kind: 'recall-answer' }, Buffer.from(content)),
    ).toThrow(new Problem('unreadable-body', `${member} must occur only once in its object`))
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
