import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { createLogger } from '@despatch/telemetry/logger'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { recordedSpans } from '@despatch/testing/recorded-spans'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGathering } from '../src/print-run.ts'
import { releaseNextPrintRun } from '../src/print-run-release.ts'
import { type RunStageContext, runStage } from '../src/run-stage.ts'
import type { Outcome, Stage } from '../src/stage.ts'
import { createStepCommits } from '../src/step-commits.ts'
import { aPrintFloor, type PrintFloor } from './a-print-floor.ts'
import { nothingAway } from './nothing-away.ts'

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
async function run(work: () => Promise<Outcome>, context: string | null) {
  const { db, pool } = floor.database
  const submission = aSubmission(await insertConsumer(db), { traceContext: context })
  await saveSubmissions(pool, [submission])
  const lines: Record<string, unknown>[] = []
  const stage: Stage<Outcome> = {
    queue: 'quarantine',
    status: 'QUARANTINE',
    needsObjects: () => false,
    gather: work,
    decide: (outcome) => outcome,
  }
  const runContext = {
    db,
    predefinedOutcome: () => undefined,
    commits: createStepCommits(db, 20),
    leaseSeconds: 20,
    outages: nothingAway,
    tracing,
    log: createLogger({
      service: 'pipeline',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    nudgeRelay: () => {},
  } as unknown as RunStageContext
  const task = { subject: submission.key, epoch: 0 }
  await runStage(runContext, stage, task, new AbortController().signal)
  return {
    key: submission.key,
    lines,
    again: () => runStage(runContext, stage, task, AbortSignal.any([])),
  }
}

test('a stage is a span in the trace of its print job, named by its lines, and done once', async () => {
  const { key, lines, again } = await run(
    async () => ({ kind: 'advance', transition: 'release' }),
    traceContext,
  )
  await again()

  expect(spans).toEqual([
    {
      name: 'stage.quarantine',
      traceId,
      spanId: expect.any(String),
      parentSpanId: spanId,
      links: [],
      facts: {
        'messaging.destination.name': 'quarantine',
        'despatch.print_job.key': key,
        'despatch.step.starts': 1,
        'despatch.outcome': 'advance',
      },
    },
  ])
  expect(lines.map((line) => [line.msg, line.traceId])).toEqual([['stage.run', traceId]])
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

test('a print job whose request was not traced begins a trace with each stage', async () => {
  await run(async () => ({ kind: 'wait', seconds: 30, reason: 'upload outstanding' }), null)

  expect(spans.map(({ parentSpanId, facts }) => [parentSpanId, facts['despatch.outcome']])).toEqual(
    [[undefined, 'wait']],
  )
})

test('being gathered and being released are in the trace of a letter, linked with the pass', async () => {
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
  await releaseNextPrintRun(options)
  await releaseNextPrintRun(options)

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
