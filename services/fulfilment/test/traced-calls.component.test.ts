import { recordedSpans } from '@despatch/testing/recorded-spans'
import { shared } from '@despatch/testing/shared'
import { beforeEach, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const { tracing, spans, everything } = recordedSpans()
const canary = 'canary7f3a'
const letterSpanId = '00f067aa0ba902b7'

const fulfilment = await shared(aFulfilment({ tracing }))
beforeEach(() => {
  spans.length = 0
})

const traceOf = (letter: number) => (letter + 1).toString(16).padStart(32, '0')
const letters = (count: number) =>
  Array.from({ length: count }, (_, letter) => ({
    traceContext: `00-${traceOf(letter)}-${letterSpanId}-01`,
  }))
const named = (name: string) => spans.filter((span) => span.name === name)

test('each call about a run or a posting is in the traces of its letters', async () => {
  const run = await fulfilment.anAcknowledgedRun(...letters(2), {})
  const { batchNumber, printJobs } = run
  const { body: posting } = await fulfilment.post(
    { batchNumber, carrier: canary, manifestNumber: canary },
    { key: canary },
  )
  await fulfilment.confirm(posting.postingId)

  const ofRun = { 'despatch.print_run.batch_number': batchNumber }
  const accepted = { ...ofRun, 'despatch.outcome': 'ACCEPTED' }
  const ofPosting = { 'despatch.posting.id': posting.postingId, 'despatch.letters': 3 }
  const expected = [
    ['print-run.claim', '/print-runs/:batchNumber/claim', ofRun],
    ['print-run.acknowledge', '/print-runs/:batchNumber/acknowledgement', accepted],
    ['posting.create', '/postings', ofPosting],
    ['posting.confirm', '/postings/:postingId/confirm', ofPosting],
  ] as const
  for (const [name, path, facts] of expected) {
    const inLetters = named(name)
    const [call] = named(`POST /print-fulfilment/v1${path}`)
    expect(inLetters.map(({ traceId }) => traceId).toSorted()).toEqual([traceOf(0), traceOf(1)])
    expect(inLetters.map(({ parentSpanId }) => parentSpanId)).toEqual([letterSpanId, letterSpanId])
    expect(inLetters.map(({ links }) => links)).toEqual([[call?.spanId], [call?.spanId]])
    expect(call).toMatchObject({ parentSpanId: undefined, links: [letterSpanId, letterSpanId] })
    expect(call?.facts).toMatchObject(facts)
    const [first] = inLetters.filter(({ traceId }) => traceId === traceOf(0))
    expect(first?.facts).toEqual({ ...facts, 'despatch.print_job.key': printJobs[0]?.key })
  }
  expect(everything()).not.toContain(canary)
})

test('a call about a run of many letters lists the first of them', async () => {
  const { batchNumber } = await fulfilment.aReleasedRun(...letters(70))

  await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: 'many' })

  expect(spans).toHaveLength(65)
  expect(named('print-run.claim')).toHaveLength(64)
  expect(spans.at(-1)?.links).toHaveLength(64)
})

test('a refused call is in no trace of a letter, and its span has no content of the request', async () => {
  await fulfilment.aReleasedRun(...letters(1))

  await fulfilment.call('POST', `/print-runs/${canary}/claim`, { key: 'refused' })

  expect(spans.map(({ name, facts }) => [name, facts['http.response.status_code']])).toEqual([
    ['POST /print-fulfilment/v1/print-runs/:batchNumber/claim', 404],
  ])
  expect(everything()).not.toContain(canary)
})
