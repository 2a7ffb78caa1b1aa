import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkPrintHistory } from '../../faults/checks/check-print-history.ts'
import { readPrintHistory } from '../../faults/facts/print-history.ts'
import {
  aLoopForAll,
  aProductionLine,
  type ProductionLine,
  stateOfRun,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { startSimulator } from '../../stack/provider-loop/start-simulator.ts'
import { makeDirectory } from '../../stack/start-despatch.ts'

const loop = aLoopForAll()
const crashed = 70
const dayMs = 24 * 60 * 60 * 1_000

const isClosed = (batchNumber: string) =>
  eventually(async () => (await stateOfRun(loop(), batchNumber)) === 'CLOSED', {
    deadlineMs: 90_000,
    message: `${batchNumber} is closed`,
  })

function startFactory({ provider }: ProductionLine, directory: string, floor: object) {
  const { credential } = provider
  return startSimulator({ baseUrl: loop().gateway.url, credential, directory, floor })
}

test('a factory that crashes after fetching, printing and posting prints and posts each letter once', async () => {
  await using directory = await makeDirectory()
  const line = await aProductionLine(loop())
  const { batchNumber, letters } = await line.aRun(20)
  const start = () =>
    startFactory(line, directory.path, {
      crashAt: ['after-fetch', 'after-print', 'after-posting'],
      spoilRate: 0.3,
      seed: 'crashes',
    })

  for (let crash = 0; crash < 3; crash++) {
    await using factory = start()
    expect(await factory.ended, factory.output()).toBe(crashed)
  }
  await using _factory = start()
  await isClosed(batchNumber)

  const factories = [{ id: line.provider.id, directory: directory.path }]
  const history = await readPrintHistory(loop().database, [line.contract.contractId], factories)
  expect(checkPrintHistory(history)).toEqual([])
  expect(history.printLog.filter(({ attempt }) => attempt === 1)).toHaveLength(20)
  expect(history.reprints.length).toBeGreaterThan(0)
  expect(history.postings).toHaveLength(1)
  expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 20 })
})

describe('a factory whose clock is a day off', () => {
  type Times = { decided: Date[]; reported: Date[] }
  const told = new Map<number, Times>()

  beforeAll(async () => {
    await using directory = await makeDirectory()
    await Promise.all(
      [-86_400, 86_400].map(async (seconds) => {
        const line = await aProductionLine(loop())
        const { batchNumber } = await line.aRun(10)
        const place = join(directory.path, String(seconds))
        await using _factory = startFactory(line, place, {
          clockSkewSeconds: seconds,
          spoilRate: 0.3,
        })
        await isClosed(batchNumber)
        const factories = [{ id: line.provider.id, directory: place }]
        const history = await readPrintHistory(
          loop().database,
          [line.contract.contractId],
          factories,
        )
        expect(checkPrintHistory(history)).toEqual([])
        expect(history.documents.map(({ outcome }) => outcome)).toEqual(
          Array.from({ length: 10 }, () => 'DESPATCHED'),
        )
        told.set(seconds, await readTimes(batchNumber))
      }),
    )
  })

  test.each([-86_400, 86_400])('by %i seconds reports other times', (seconds) => {
    const offsets = told.get(seconds)!.reported.map((time) => +time - Date.now())
    const expected = Math.sign(seconds) * dayMs

    expect(offsets.length).toBeGreaterThan(30)
    expect(offsets.filter((offset) => Math.abs(offset - expected) > dayMs / 2)).toEqual([])
  })

  test.each([-86_400, 86_400])('by %i seconds has no effect on decisions', (seconds) => {
    const offsets = told.get(seconds)!.decided.map((time) => Math.abs(+time - Date.now()))

    expect(offsets).toHaveLength(15)
    expect(Math.max(...offsets)).toBeLessThan(dayMs / 2)
  })

  /** Returns the times that the factory reported, by its clock, and those that Despatch set, by its own. */
  async function readTimes(batchNumber: string): Promise<Times> {
    const read = async (statement: string) => {
      const { rows } = await loop().database.pool.query<{ at: Date }>(statement, [batchNumber])
      return rows.map(({ at }) => at)
    }
    return {
      reported: await read(
        `select occurred_at as at from print_run_event where batch_number = $1
         union all select handover_at from posting join posting_run on posting_id = id where batch_number = $1`,
      ),
      decided: await read(
        `select unnest(array[claimed_at, acknowledged_at, posted_at, closed_at]) as at
         from print_run where batch_number = $1
         union all select despatched_at from print_job where batch_number = $1
         union all select confirmed_at from posting join posting_run on posting_id = id where batch_number = $1`,
      ),
    }
  }
})
