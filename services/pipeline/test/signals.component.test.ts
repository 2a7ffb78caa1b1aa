import { countViolations } from '@despatch/store/overview/invariants'
import { compareWithDocumentation } from '@despatch/testing/documented-metrics'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPipeline } from './a-pipeline.ts'

const pipeline = await shared(aPipeline())
const service = await pipeline.start()

const metrics = async () => (await service.api.inject({ url: '/metrics' })).body

test('exposes exactly the documented metrics', async () => {
  const absent = ['virus_scans_total', 'virus_scanner_up']

  expect(compareWithDocumentation('pipeline', await metrics(), { absent })).toEqual({
    undocumented: [],
    missing: [],
  })
})

test('counts the stages of a print job, without any violated invariant', async () => {
  await pipeline.reached(await pipeline.submit(), 'PENDING')

  const counts = await eventually(
    async () => {
      const lines = (await metrics())
        .split('\n')
        .filter((line) => line.startsWith('stage_duration_seconds_count'))
        .filter((line) => line.includes('outcome="advance"'))
      return lines.length === 2 ? lines : undefined
    },
    { message: 'both stages are counted' },
  )
  expect(counts).toEqual([
    'stage_duration_seconds_count{service="pipeline",stage="quarantine",outcome="advance"} 1',
    'stage_duration_seconds_count{service="pipeline",stage="validate",outcome="advance"} 1',
  ])
  expect(await countViolations(pipeline.database.db)).toEqual({
    'event-sequence': 0,
    'callback-sequence': 0,
    'live-documents': 0,
    'unended-callbacks': 0,
    'held-in-run': 0,
    'unwatched-steps': 0,
    'kept-counts': 0,
  })
})

test('is ready, with a check for each loop and each worker', async () => {
  const { checks } = (await service.api.inject({ url: '/health/ready' })).json<{
    checks: { name: string; ok: boolean }[]
  }>()

  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['worker letters', 'worker slow', 'scheduler', 'sweep', 'print-runs']),
  )
})
