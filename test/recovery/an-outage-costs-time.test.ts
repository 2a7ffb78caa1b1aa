import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startDatabaseServer } from '../faults/ground/database-server.ts'
import { keepThroughOutages } from '../faults/outages/keep-through-outages.ts'
import { makeDirectory } from '../stack/start-despatch.ts'

const seed = 20_261_122
const findingsToldMax = 20
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined

test.concurrent.each(hasRedis ? (['postgres', 'redis'] as const) : (['postgres'] as const))(
  `the object store is away and the database restarts: every letter is kept (queues on %s, seed ${seed})`,
  async (queue) => {
    await using records = await makeDirectory()
    await using server = await startDatabaseServer()

    const told: string[] = []
    const { findings, counts } = await keepThroughOutages({
      queue,
      server,
      outageMs: 12_000,
      databaseRestarts: 1,
      lettersPerSecond: 10,
      pipelines: 1,
      calmMs: 1_000,
      recoveryMsMax: 20_000,
      backoffMsMax: 1_000,
      seed,
      records: records.path,
      tell: (line) => told.push(line),
    })

    expect(
      findings.slice(0, findingsToldMax),
      [...told, JSON.stringify(counts)].join('\n'),
    ).toEqual([])
    expect(counts['PENDING or further']).toBe(counts['letters kept'])
    // it was an outage
    expect(counts['letters kept']).toBeGreaterThan(50)
    expect(counts['answered 503']).toBeGreaterThan(0)
    expect(counts['replies of the database lost']).toBe(1)
  },
)
