import { spawnSync } from 'node:child_process'
import { byEffort } from '@despatch/testing/effort'
import { expect, test } from 'vitest'
import { startDatabaseServer } from '../../faults/ground/database-server.ts'
import { runUnderFaults } from '../../faults/run-under-faults.ts'
import { planOf } from '../../faults/scenarios/scenario.ts'
import { smokeOf } from '../../faults/scenarios/smoke.ts'
import { makeDirectory } from '../../stack/start-despatch.ts'

const seed = 20_261_122
const findingsReportedMax = 20
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined
// One system with all scenarios costs little more than half as much as two. The journeys run on PostgreSQL's queues.
const queues = hasRedis
  ? byEffort<('postgres' | 'redis')[]>({ landing: ['redis'], full: ['postgres', 'redis'] })
  : (['postgres'] as const)

// Both run at the same time: they mostly wait.
test.concurrent.each(queues)(
  `letters go from 202 to DESPATCHED during the smoke of faults (queues on %s, seed ${seed})`,
  async (queue) => {
    await using records = await makeDirectory()
    await using server = await startDatabaseServer()
    const smoke = smokeOf(queue, { isOnly: queues.length === 1 })
    const told: string[] = []

    const { findings, counts } = await runUnderFaults(planOf(smoke), {
      queue,
      server,
      seed,
      records: records.path,
      tell: (line) => told.push(line),
    }).catch((error: Error) => {
      throw new Error([error.message, ...told].join('\n'), { cause: error })
    })

    const [{ rule = 'no rule is broken', detail = '' } = {}] = findings
    expect(
      findings.slice(0, findingsReportedMax),
      [`${findings.length}: ${rule}: ${detail}`, ...told, JSON.stringify(counts)].join('\n'),
    ).toEqual([])
    expect(counts.despatched! + counts.deleted!).toBe(counts.accepted)
    // enough letters and blows for the run to prove something
    expect(counts.accepted).toBeGreaterThan(byEffort({ landing: 20, full: 50 }))
    expect(counts.blows).toBeGreaterThanOrEqual(8)
  },
  900_000,
)
