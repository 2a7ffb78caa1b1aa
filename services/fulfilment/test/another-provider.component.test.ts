import * as operations from '@despatch/contracts/print-fulfilment/operations'
import * as productionOperations from '@despatch/contracts/print-fulfilment/production-operations'
import * as siteOperations from '@despatch/contracts/print-fulfilment/site-operations'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { anEvent } from './production-report.ts'

const fulfilment = await shared(aFulfilment())

const prefix = '/print-fulfilment/v1'
const everyOperation = [operations, productionOperations, siteOperations]
  .flatMap((module): unknown[] => Object.values(module))
  .filter(
    (value): value is { method: string; url: string } =>
      typeof value === 'object' && value !== null && 'method' in value && 'url' in value,
  )

/** Things that belong to `north`: a run in production, a posting of it, and an unanswered recall. */
async function whatNorthHas() {
  const run = await fulfilment.anAcknowledgedRun({}, {})
  const { batchNumber } = run
  const [document, other] = run.manifest.documents
  const { body: posting } = await fulfilment.post({ batchNumber, documentIds: [other.documentId] })
  const recallId = crypto.randomUUID()
  await fulfilment.rows(
    `with request as (
      insert into recall_request (id, batch_number, provider_id, reason, requested_by)
      values ($1, $2, 'north', 'wrong fee', 'consumer:operator') returning id)
    insert into recall_document (recall_id, document_id) select id, $3 from request`,
    recallId,
    batchNumber,
    document.documentId,
  )
  const { documentId, fulfilmentJobId } = document
  return { run, batchNumber, documentId, fulfilmentJobId, recallId, postingId: posting.postingId }
}

test('no operation gives a provider access to the data of another provider', async () => {
  const { run, ...ids } = await whatNorthHas()
  const { batchNumber, documentId } = ids
  const posting = { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }
  const bodies: Record<string, object> = {
    'POST /print-runs/:batchNumber/acknowledgement': run.acknowledgement,
    'POST /print-runs/:batchNumber/events': { events: [anEvent({ documentId, type: 'PRINTED' })] },
    'POST /print-runs/:batchNumber/reprints': { documents: [{ documentId, reasonCode: 'JAM' }] },
    'POST /postings': { ...posting, batchNumber },
    'POST /postings/:postingId/evidence': { fileName: 'a.pdf', mediaType: 'application/pdf' },
    'POST /recall-requests/:recallId/reject': { reason: 'too late' },
    'PUT /capabilities/:printLocation': {
      stationery: ['A4-PLAIN'],
      formats: ['LETTER'],
      plexes: ['duplex'],
      colour: true,
      despatchMethods: ['SECOND'],
      sheetsMax: 1,
      maintenance: [],
    },
  }
  const named = everyOperation
    .map(({ method, url }) => `${method} ${url.replace(prefix, '')}`)
    .filter((operation) => operation.includes(':') || operation in bodies)

  const answers: Record<string, number> = {}
  for (const operation of named) {
    const [method, url] = operation.split(' ') as ['GET' | 'POST' | 'PUT', string]
    const path = url
      .replace(':printLocation', 'NORTH')
      .replace(/:(\w+)/g, (_, name: keyof typeof ids) => ids[name])
    const body = method === 'GET' ? undefined : (bodies[operation] ?? {})
    const { status } = await fulfilment.call(method, path, {
      provider: 'south',
      key: operation,
      body,
    })
    answers[operation] = status
  }
  const returned = await fulfilment.call('POST', '/returns', {
    provider: 'south',
    body: {
      returns: [
        {
          returnId: 'of north',
          documentId,
          reasonCode: 'R01',
          disposition: 'DESTROYED',
          scannedAt: '2026-02-28T09:00:00Z',
        },
      ],
    },
  })
  const recalls = await fulfilment.call('GET', '/recall-requests', { provider: 'south' })
  const runs = await fulfilment.call('GET', '/print-runs', { provider: 'south' })

  expect(named.length).toBeGreaterThan(18)
  expect(answers).toEqual(Object.fromEntries(named.map((operation) => [operation, 404])))
  expect(returned.body.results).toMatchObject([{ refusal: 'unknown-document' }])
  expect([recalls.body, runs.body]).toEqual([{ recallRequests: [] }, { printRuns: [] }])
})
