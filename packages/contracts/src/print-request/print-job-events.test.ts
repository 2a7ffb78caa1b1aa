import { expect, test } from 'vitest'
import { ownEvents, printJobEventsSchema, type StoredPrintJobEvent } from './print-job-events.ts'
import { renderUpload, uploadFileResponseSchema } from './upload-file-response.ts'

const rendered = (events: StoredPrintJobEvent[]) =>
  printJobEventsSchema.parse({ id: 'job-1', events: ownEvents(events) })

const at = new Date('2026-03-01T10:00:00Z')
const event = { sequence: 1, transition: 'submit', status: 'QUARANTINE', at, reason: null } as const

test('lists the events of a job, oldest first, with their reasons', () => {
  const rejected = {
    sequence: 2,
    transition: 'reject',
    status: 'REJECTED',
    actor: 'quarantine',
    reason: 'File a is infected',
  } as const
  const { reason, ...submitted } = { ...event, actor: 'consumer' }

  expect(
    rendered([
      { ...rejected, at },
      { ...submitted, reason },
    ]),
  ).toEqual({
    id: 'job-1',
    events: [
      { ...submitted, at: at.toISOString() },
      { ...rejected, at: at.toISOString() },
    ],
  })
})

test.each([
  ['consumer', 'consumer'],
  ['consumer:32170996-e6f3-4745-8337-8fb865b78ca0', 'operator'],
  ['provider:demo-provider', 'provider:demo-provider'],
])('actions of %s are shown as done by %s', (actor, told) => {
  expect(rendered([{ ...event, actor }]).events[0]!.actor).toBe(told)
})

test('reports the preflight findings with rule numbers', () => {
  const area = {
    rule: 'print-area',
    severity: 'refusal',
    fileId: 'a',
    page: 2,
    rectangle: { x: 1, y: 2, width: 3, height: 4 },
    measured: { unit: 'mm', value: 4 },
    allowed: { unit: 'mm', max: 0.5 },
    detail: 'Page 2 of file a has print outside.',
  } as const
  const size = {
    rule: 'page-size',
    severity: 'note',
    measured: { unit: 'mm', value: [100, 200] },
    allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
    detail: 'Another size.',
  } as const
  const findings = [area, size]

  expect(rendered([{ ...event, actor: 'validate', findings }]).events[0]!.findings).toEqual([
    { ...area, number: 'P403' },
    { ...size, number: 'P401' },
  ])
})

test('gives an upload under both pairs of names that the specification uses', () => {
  const uploadId = '11111111-1111-4111-8111-111111111111'
  const url = 'https://files.example.com/a?X-Amz-Signature=b'

  const response = renderUpload({ uploadId, url })

  expect(response).toEqual({ uploadId, url, fileId: uploadId, uploadUrl: url })
  expect(uploadFileResponseSchema.safeParse(response).success).toBe(true)
})
