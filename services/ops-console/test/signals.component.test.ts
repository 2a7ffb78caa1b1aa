import { compareWithDocumentation } from '@despatch/testing/documented-metrics'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aConsoleStage } from './a-console.ts'

const stage = await shared(aConsoleStage())
const service = await shared(stage.aConsole())
const { body } = await service.api.inject({ url: '/metrics' })

test('exposes the metrics that are documented, as they are', () => {
  expect(compareWithDocumentation('ops-console', body)).toEqual({ undocumented: [], missing: [] })
})

test('an empty system: nothing is stuck, no site works, nothing is violated', () => {
  const samples = body
    .split('\n')
    .filter((line) => /^(stuck_seconds|print_sites_working|invariant_violations)\b/.test(line))

  expect(samples).toHaveLength(4 + 1 + 7)
  expect(samples.filter((line) => !line.endsWith(' 0'))).toEqual([])
})
