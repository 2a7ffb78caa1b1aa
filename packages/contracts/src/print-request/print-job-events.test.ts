import { expect, test } from 'vitest'
import { ownEvents, printJobEventsSchema, type StoredPrintJobEvent } from './print-job-events.ts'
import { renderUpload, uploadFileResponseSchema } from './upload-file-response.ts'

const rendered = (events: StoredPrintJobEvent[]) =>
  printJobEventsSchema.parse({ id: 'job-1', events: ownEvents(events) })

test('lists the events of a job, oldest first, with their reasons', () => {
  const response = rendered([
    {
      sequence: 2,
      transition: 'reject',
      status: 'REJECTED',
      at: new Date('2026-03-01T10:00:01.5Z'),
      actor: 'quarantine',
      reason: 'File a is infected',
    },
    {
      sequence: 1,
      transition: 'submit',
      status: 'QUARANTINE',
      at: new Date('2026-03-01T10:00:00Z'),
      actor: 'consumer',
      reason: null,
    },
  ])

  expect(response).toEqual({
    id: 'job-1',
    events: [
      {
        sequence: 1,
        transition: 'submit',
        status: 'QUARANTINE',
        at: '2026-03-01T10:00:00.000Z',
        actor: 'consumer',
      },
      {
        sequence: 2,
        transition: 'reject',
        status: 'REJECTED',
        at: '2026-03-01T10:00:01.500Z',
        actor: 'quarantine',
        reason: 'File a is infected',
      },
    ],
  })
})

test.each([
  ['consumer', 'consumer'],
  ['consumer:32170996-e6f3-4745-8337-8fb865b78ca0', 'operator'],
  ['provider:demo-provider', 'provider:demo-provider'],
])('actions of %s are shown as done by %s', (actor, told) => {
  const at = new Date('2026-03-01T10:00:00Z')
  const event = { sequence: 1, transition: 'hold', status: 'PENDING', at, reason: null } as const

  expect(rendered([{ ...event, actor }]).events[0]!.actor).toBe(told)
})

test('reports the preflight findings with rule numbers', () => {
  const at = new Date('2026-03-01T10:00:00Z')
  const event = { sequence: 3, transition: 'reject', status: 'REJECTED', at } as const
  const response = rendered([
    {
      ...event,
      actor: 'validate',
      reason: 'Page 2 of file a has print outside.',
      findings: [
        {
          rule: 'print-area',
          severity: 'refusal',
          fileId: 'a',
          page: 2,
          rectangle: { x: 1, y: 2, width: 3, height: 4 },
          measured: { unit: 'mm', value: 4 },
          allowed: { unit: 'mm', max: 0.5 },
          detail: 'Page 2 of file a has print outside.',
        },
        {
          rule: 'page-size',
          severity: 'note',
          measured: { unit: 'mm', value: [100, 200] },
          allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
          detail: 'Another size.',
        },
      ],
    },
  ])

  expect(response.events[0]!.findings).toEqual([
    {
      rule: 'print-area',
      number: 'P403',
      severity: 'refusal',
      fileId: 'a',
      page: 2,
      rectangle: { x: 1, y: 2, width: 3, height: 4 },
      measured: { unit: 'mm', value: 4 },
      allowed: { unit: 'mm', max: 0.5 },
      detail: 'Page 2 of file a has print outside.',
    },
    {
      rule: 'page-size',
      number: 'P401',
      severity: 'note',
      measured: { unit: 'mm', value: [100, 200] },
      allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
      detail: 'Another size.',
    },
  ])
})

test('gives an upload under both pairs of names that the specification uses', () => {
  const uploadId = '11111111-1111-4111-8111-111111111111'
  const url = 'https://files.example.com/a?X-Amz-Signature=b'

  const response = renderUpload({ uploadId, url })

  expect(response).toEqual({ uploadId, url, fileId: uploadId, uploadUrl: url })
  expect(uploadFileResponseSchema.safeParse(response).success).toBe(true)
})
