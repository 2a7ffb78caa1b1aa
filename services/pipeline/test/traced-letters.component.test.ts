import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { recordedSpans } from '@despatch/testing/recorded-spans'
import { takeLetters } from '@despatch/testing/take-letters'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runLetter } from '../src/print-job/run-letter.ts'
import type { Outcome } from '../src/print-job/stage.ts'
import { createGathering } from '../src/print-run/gather.ts'
import { releaseNextPrintRun } from '../src/print-run/release.ts'
import { aPrintFloor, type PrintFloor } from './a-print-floor.ts'
import { aWorker } from './a-worker.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceContext = `00-${traceId}-${spanId}-01`
const { tracing, spans, everything } = recordedSpans()

let floor: PrintFloor
beforeEach(async () => {
  spans.length = 0
  floor = await aPrintFloor()
  await floor.addProvider('north')
})
afterEach(() => floor.close())

const onError = (error: Error) => {
  throw error
}

/** Makes a stage work on a new print job, and returns the lines that it logs. */
async function run(quarantine: () => Promise<Outcome>, context: string | null) {
  const { db, pool } = floor.database
  const submission = aSubmission(await insertConsumer(db), { traceContext: context })
  await saveSubmissions(pool, [submission])
  const { log, lines } = aKeptLog('pipeline')
  const validate = async () => ({ kind: 'reject', comment: 'No letter' }) as const
  const worker = aWorker(db, { quarantine, validate, context: { log, tracing } })
  const [step] = await takeLetters(db, [submission.key])
  await runLetter(worker, step!, AbortSignal.any([]))
  return {
    key: submission.key,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

test('each stage is a span in the trace of its print job, and its log lines name the trace', async () => {
  const { key, lines } = await run(
    async () => ({ kind: 'advance', transition: 'release' }),
    traceContext,
  )

  const aSpan = (stage: string, outcome: string) => ({
    name: `stage.${stage}`,
    traceId,
    spanId: expect.any(String),
    parentSpanId: spanId,
    links: [],
    facts: {
      'messaging.destination.name': stage,
      'despatch.print_job.key': key,
      'despatch.step.starts': 1,
      'despatch.outcome': outcome,
    },
  })
  expect(spans).toEqual([aSpan('quarantine', 'advance'), aSpan('validate', 'reject')])
  expect(lines.map((line) => [line.msg, line.stage, line.traceId])).toEqual([
    ['stage.run', 'quarantine', traceId],
    ['stage.run', 'validate', traceId],
  ])
})

test('a fault in a stage is logged with its consequence, without its message', async () => {
  const { lines } = await run(async () => {
    throw new Error('the letter of SECRET')
  }, traceContext)

  expect(spans.map(({ facts }) => [facts['despatch.outcome'], facts['error.type']])).toEqual([
    ['retry', 'retry'],
  ])
  expect(everything()).not.toContain('SECRET')
  expect(lines.map((line) => [line.msg, line.traceId])).toEqual([
    ['stage.failed', traceId],
    ['stage.run', traceId],
  ])
})

test('a print job from an untraced request starts a trace with each stage', async () => {
  await run(async () => ({ kind: 'wait', seconds: 30, reason: 'upload outstanding' }), null)

  expect(spans.map(({ parentSpanId, facts }) => [parentSpanId, facts['despatch.outcome']])).toEqual(
    [[undefined, 'wait']],
  )
})

test('gathering and release are in the trace of a letter, linked with the pass', async () => {
  const { db, pool } = floor.database
  const [traced] = await floor.addPending({}, {})
  await pool.query('update print_job set trace_context = $2 where key = $1', [
    traced!.key,
    traceContext,
  ])

  const options = { db, runAgeMs: 0, documentsMax: 10, traced: { tracing, onError } }
  const gather = createGathering(options)
  await gather()
  await gather()
  await releaseNextPrintRun({ ...options, objects: { put: async () => {} } })
  await releaseNextPrintRun({ ...options, objects: { put: async () => {} } })

  const gathering = spans.find(({ name }) => name === 'print-runs.build')
  expect(gathering).toMatchObject({
    parentSpanId: undefined,
    links: [spanId],
    facts: { 'despatch.letters': 2, 'despatch.print_runs.released': 0 },
  })
  const release = spans.find(({ name }) => name === 'print-runs.release')
  expect(release).toMatchObject({
    parentSpanId: undefined,
    links: [spanId],
    facts: { 'despatch.letters': 0, 'despatch.print_runs.released': 1 },
  })
  const others = spans.filter((span) => span !== gathering && span !== release)
  expect(others.map(({ name, parentSpanId, links }) => [name, parentSpanId, links])).toEqual([
    ['print-run.gather', spanId, [gathering?.spanId]],
    ['print-run.release', spanId, [release?.spanId]],
  ])
  expect(others.map(({ traceId }) => traceId)).toEqual([traceId, traceId])
})
