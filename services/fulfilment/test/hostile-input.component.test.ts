import { afterEach, beforeEach, expect, test } from 'vitest'
import { aFulfilment, type Fulfilment } from './a-fulfilment.ts'
import { anEvent } from './production-report.ts'

let fulfilment: Fulfilment
beforeEach(async () => {
  fulfilment = await aFulfilment()
})
afterEach(() => fulfilment.close())

const hostileTexts = [
  ...['', '\0', 'a\0b', '\ud800', '__proto__', "'; drop table print_run; --", '../..', 'R1', 'D1'],
  ...['x'.repeat(300), 'x'.repeat(100_000), '\u{1F600}'.repeat(50)],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59'],
  ...['0000-01-01', '9999-12-31', '24:00'],
]
const hostileValues = [
  ...[null, true, 0, -0, -1, 1, 1.5, 1e308, 2 ** 31, 2 ** 53, [], {}, [null], [[]]],
  ...hostileTexts,
]

/** Yields the value with one of its parts at a time replaced, left out or repeated. */
function* spoil(value: unknown): Generator<unknown> {
  yield* hostileValues
  if (Array.isArray(value)) {
    yield [...value, ...value]
    for (const [place, item] of value.entries()) {
      for (const spoilt of spoil(item)) yield value.with(place, spoilt)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
      for (const spoilt of spoil(member)) yield { ...value, [name]: spoilt }
    }
  }
}

const at = '2026-01-31T17:30:00Z'
const despatchProperties = [{ key: 'trayId', value: '7' }]
const capabilities = {
  stationery: ['A4-PLAIN'],
  formats: ['LETTER'],
  plexes: ['duplex'],
  colour: true,
  despatchMethods: ['SECOND'],
  sheetsMax: 100,
  documentsPerDayMax: 5,
  calendar: {
    weekdays: [1],
    bankHolidays: 'none',
    closedOn: ['2026-01-01'],
    cutOff: '12:00',
    productionDays: 3,
    classes: [{ despatchMethod: 'FIRST', weekdays: [1], cutOff: '01:30', productionDays: 2 }],
  },
  maintenance: [{ from: at, until: '2026-02-01T17:30:00Z', reason: 'new rollers' }],
}

test('no request body is answered with 500', async () => {
  const { batchNumber, manifest, acknowledgement } = await fulfilment.anAcknowledgedRun({}, {}, {})
  const [documentId, posted, reprinted] = manifest.documents.map(
    (document: { documentId: string }) => document.documentId,
  )
  const detail = { documentId: posted, serialNumber: '1', despatchProperties }
  const event = anEvent({ documentId, type: 'DIVERTED', serialNumber: '2', despatchProperties })
  const returned = { returnId: '1', reasonCode: 'R01', disposition: 'DESTROYED', scannedAt: at }
  const run = `/print-runs/${batchNumber}`
  const bodies: Record<string, unknown> = {
    [`POST ${run}/claim`]: { leaseSeconds: 60 },
    [`POST ${run}/lease`]: { leaseSeconds: 60 },
    [`POST ${run}/acknowledgement`]: {
      ...acknowledgement,
      refusals: [{ documentId, reasonCode: 'OTHER', reason: 'torn' }],
    },
    [`POST ${run}/events`]: { events: [{ ...event, reason: 'torn' }] },
    [`POST ${run}/reprints`]: {
      documents: [{ documentId: reprinted, reasonCode: 'JAM', reason: 'torn' }],
    },
    'POST /postings': {
      printRuns: [{ batchNumber, documentIds: [posted] }],
      carrier: 'Royal Mail',
      handoverAt: at,
      manifestNumber: '7',
      counts: [
        { despatchMethod: 'SECOND', format: 'LETTER', weightBandGrams: 100, documentCount: 2 },
      ],
      despatchProperties,
      documents: [detail],
    },
    'POST /returns': {
      returns: [
        { ...returned, documentId },
        { ...returned, returnId: '2', mailmarkItemId: '1' },
      ],
    },
    'POST /heartbeat': { sentAt: at },
    'POST /serial-stock/spoilage': { jobType: 'D777', serialNumbers: ['1'], reason: 'wet' },
    [`POST /recall-requests/${crypto.randomUUID()}/accept`]: { tooLate: [documentId] },
    [`POST /recall-requests/${crypto.randomUUID()}/reject`]: { reason: 'too late' },
  }

  const failed: unknown[] = []
  let calls = 0
  for (const [operation, body] of Object.entries(bodies)) {
    const [method, path] = operation.split(' ') as ['POST' | 'PUT', string]
    for (const spoilt of spoil(body)) {
      const { status } = await fulfilment.call(method, path, { key: `${calls++}`, body: spoilt })
      if (status >= 500) failed.push([operation, JSON.stringify(spoilt).slice(0, 300)])
    }
  }

  expect(failed).toEqual([])
})

test('no accepted capabilities prevent print runs from being built', async () => {
  await fulfilment.addPending({})
  const path = '/capabilities/NORTH'

  const statuses = new Set<number>()
  for (const body of spoil(capabilities)) {
    const { status } = await fulfilment.call('PUT', path, { body })
    statuses.add(status)
    if (status !== 200) continue
    await fulfilment.database.pool.query('update print_job set route_after = null')
    await fulfilment.releaseRuns()
  }

  expect([...statuses].toSorted()).toEqual([200, 400, 415])
})

const paths = [
  ...['/print-runs/*/manifest', '/print-runs/*/reprints', '/print-runs/*/reconciliation'],
  ...['/print-runs/R/documents/*/content', '/print-runs/R/fulfilment-jobs/*/documents.zip'],
  ...['/print-runs/R/fulfilment-jobs/*/print-stream.pdf?from=*&to=*', '/postings/*'],
  ...['/print-runs/R/fulfilment-jobs/*/template-data', '/print-runs/R/manifest?format=*'],
  ...['/print-runs?cursor=*', '/print-runs?printLocation=*', '/print-runs?limit=*'],
  ...['/recall-requests?cursor=*', '/recall-requests?state=*', '/print-runs/R/reprints?cursor=*'],
  ...['/print-runs/R/reconciliation?cursor=*'],
]
const hostileParts = [
  ...['%00', 'a%00b', '%ED%A0%80', '%FF', '%F0%9F%98%80', '..%2f', '0', '-1', '1e9', '%27'],
  ...['999999999999999', '99999999999999999999', 'x'.repeat(50), 'x'.repeat(5_000), 'infinity'],
  ...['00000000-0000-0000-0000-000000000000', 'R1', '2026-13-45'],
]

test('no URL is answered with 500', async () => {
  const { batchNumber } = await fulfilment.anAcknowledgedRun({})
  const addresses = paths.flatMap((path) =>
    hostileParts.map((part) => path.replace('/R/', `/${batchNumber}/`).replaceAll('*', part)),
  )

  const failed: string[] = []
  for (const address of addresses) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { status } = await fulfilment.call(method, address)
      if (status >= 500) failed.push(`${method} ${address}`)
    }
  }

  expect(failed).toEqual([])
})
