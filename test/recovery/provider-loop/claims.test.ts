import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import {
  aLoopForAll,
  aProductionLine,
  countSteps,
  type ProductionLine,
  stateOfRun,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { aProvider, refusalOf } from '../../stack/provider-loop/a-provider.ts'
import { killWhileBlocked } from '../../stack/provider-loop/kill-while-blocked.ts'

const loop = aLoopForAll()
let line: ProductionLine
beforeAll(async () => {
  line = await aProductionLine(loop())
})

test('a claim whose reply is lost, and that is never repeated, leaves the run with its provider after the lease', async () => {
  const { batchNumber, letters } = await line.aRun(20)
  const lost = loop().gateway.cutNext('POST', /\/claim$/)
  await expect(line.provider.claim(batchNumber, `lost ${batchNumber}`)).rejects.toThrow()
  expect(await lost).toBe(200)
  const before = await line.provider.manifest(batchNumber)
  await loop().database.pool.query(
    `update print_run set lease_until = now() - interval '1 day' where batch_number = $1`,
    [batchNumber],
  )
  const other = await aProvider(loop().gateway.url, await loop().addProvider(`A4-${randomUUID()}`))
  // builds print runs once more
  await line.aRun(1)

  const theirs = await other.claim(batchNumber, 'not mine')

  expect(refusalOf(theirs)).toBe('404 PrintRunNotFound')
  expect(await stateOfRun(loop(), batchNumber)).toBe('CLAIMED')
  expect(await statusesOf(loop(), letters)).toEqual({ PRODUCTION: 20 })
  expect(await line.provider.manifest(batchNumber)).toEqual(before)
  expect((await line.provider.acknowledge(batchNumber, before)).status).toBe(200)
})

test.each(['print_job', 'print_run_claim'] as const)(
  'killing fulfilment while a claim writes %s leaves no change, and a repetition works',
  async (table) => {
    const { batchNumber, letters } = await line.aRun(30)
    const key = `killed ${batchNumber}`

    await killWhileBlocked(loop(), {
      hold: (client) =>
        table === 'print_job'
          ? client.query('select from print_job where key = $1 for update', [letters[29]!.key])
          : client.query(
              `insert into print_run_claim (provider_id, claim_key, batch_number, request_hash, response)
               values ($1, $2, $3, '', '')`,
              [line.provider.id, key, batchNumber],
            ),
      call: () => line.provider.claim(batchNumber, key),
    })

    expect(await stateOfRun(loop(), batchNumber)).toBe('RELEASED')
    expect(await statusesOf(loop(), letters)).toEqual({ PENDING: 30 })
    expect(await countSteps(loop(), letters, 'produce')).toBe(0)
    const { status, body } = await line.provider.claim(batchNumber, key)
    expect([status, body.documentCount]).toEqual([200, 30])
    expect(await countSteps(loop(), letters, 'produce')).toBe(30)
  },
)
