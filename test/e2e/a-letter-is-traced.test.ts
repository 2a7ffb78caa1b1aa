import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { expect, test } from 'vitest'
import { aCaller, signedIn } from '../stack/a-caller.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import type { Despatch } from '../stack/start-despatch.ts'
import { startTraceCollector } from '../stack/trace-collector.ts'

const canary = `canary${randomUUID().slice(0, 8)}`
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpanId = '00f067aa0ba902b7'

/** The spans of one letter's trace, in any order. */
const spansOfALetter = [
  ['print-request', 'POST /print-request/v1/print/jobs'],
  ['pipeline', 'stage.quarantine'],
  ['pipeline', 'stage.validate'],
  ['pipeline', 'print-run.gather'],
  ['pipeline', 'print-run.release'],
  ['fulfilment', 'print-run.claim'],
  ['fulfilment', 'print-run.acknowledge'],
  ['fulfilment', 'posting.create'],
  ['fulfilment', 'posting.confirm'],
  ['callbacks', 'callback.attempt'],
]

test('a letter is one trace from the request to the callback, without data of the letter', async () => {
  await using receiver = await startCallbackReceiver()
  await using collector = await startTraceCollector()
  await using despatch = await aDespatch({
    DESPATCH_PRINT_RUN_AGE_MS: '200',
    DESPATCH_SIMULATOR: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const token = await submitLetter(despatch, `${receiver.url}/${canary}?token=${canary}`)
  const { headers } = await receiver.received(() => true, { deadlineMs: 60_000 })
  const { apiKey } = despatch.credentials.consumer
  expect(await despatch.stop()).toBe(0)

  const { spans } = collector
  const ofLetter = spans.filter((span) => span.traceId === traceId)
  const [posted] = ofLetter.filter(({ service }) => service === 'print-request')
  const others = ofLetter.filter((span) => span !== posted)
  expect(ofLetter.map(({ service, name }) => [service, name]).toSorted()).toEqual(
    spansOfALetter.toSorted(),
  )
  expect(posted?.parentSpanId).toBe(callersSpanId)
  expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([posted?.spanId]))
  const keys = new Set(others.map(({ facts }) => facts['despatch.print_job.key']))
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])

  const attempt = others.find(({ name }) => name === 'callback.attempt')
  expect(headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`)

  const claim = spans.find(({ name }) => name.endsWith('/claim'))
  const inLetter = others.find(({ name }) => name === 'print-run.claim')
  expect(claim?.traceId).not.toBe(traceId)
  expect(inLetter?.links).toEqual([claim?.spanId])
  expect(claim?.links).toEqual([posted?.spanId])

  const log = await readFile(join(despatch.directory, 'despatch.log'), 'utf8')
  const traced = log.split('\n').filter((line) => line.includes(`"traceId":"${traceId}"`))
  expect(traced.map((line) => JSON.parse(line).msg).toSorted()).toEqual([
    'callback.attempted',
    'request.served',
    'stage.run',
    'stage.run',
  ])
  for (const secret of [canary, token, apiKey, new URL(receiver.url).port]) {
    expect(collector.everything()).not.toContain(secret)
  }
})

/** Submits a letter within a trace of the consumer, with the canary in everything that a consumer can set. */
async function submitLetter({ credentials }: Despatch, target: string): Promise<string> {
  const { baseUrl, consumer } = credentials
  const headers = await signedIn(baseUrl, consumer)
  const call = aCaller(`${baseUrl}/print-request/v1/print`, {
    ...headers,
    'x-correlation-id': canary,
    'idempotency-key': canary,
    traceparent: `00-${traceId}-${callersSpanId}-01`,
    tracestate: `of=${canary}`,
    baggage: `of=${canary}`,
  })
  const answer = await call('POST', `/jobs?of=${canary}`, {
    id: canary,
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: `${canary} name`,
      address: { unstructuredAddress: { line1: `${canary} line`, postcode: 'AB1 2CD' } },
    },
    customParams: [{ key: `${canary}-key`, value: `${canary} value` }],
    callbackParams: { target, authenticationHeader: `Bearer ${canary}` },
  })
  expect(answer).toMatchObject({ status: 202, body: { id: canary } })
  return headers.authorization
}
