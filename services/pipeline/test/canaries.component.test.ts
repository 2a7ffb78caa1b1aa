import { lanes } from '@despatch/domain/work/lane'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { addCanaries } from '@despatch/work/canaries'
import { canaryConsumerId } from '@despatch/work/canary-consumer'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PipelineService } from '../src/service.ts'
import { aPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackendsByEffort('postgres')

async function countWaits({ metrics }: PipelineService, lane: string, first: string) {
  const text = await metrics!.getSingleMetricAsString('batch_wait_seconds')
  const samples = text.split('\n').filter((line) => line.startsWith('batch_wait_seconds_count'))
  const found = samples.find(
    (line) => line.includes(`lane="${lane}"`) && line.includes(`first="${first}"`),
  )
  return Number(found?.split(' ').at(-1) ?? 0)
}

describe.each(queueBackends)('with queues on $name', ({ url }) => {
  test('the wait for a worker is measured in every lane, even without letters', async () => {
    await prepareQueues(url)
    const pipeline = await aPipeline(url, { DESPATCH_CANARY_INTERVAL_MS: '100' })
    onTestFinished(pipeline.close)

    const service = await pipeline.start()

    for (const lane of lanes) {
      const isMeasured = async () => (await countWaits(service, lane, 'true')) > 1
      await eventually(isMeasured, { message: `the wait in ${lane} is measured twice` })
    }
  })

  test('the wait of letters is measured', async () => {
    await prepareQueues(url)
    const pipeline = await aPipeline(url)
    onTestFinished(pipeline.close)
    const service = await pipeline.start()

    await pipeline.reached(await pipeline.submit(), 'PENDING')

    expect(await countWaits(service, 'plain', 'true')).toBe(1)
  })
})

test('several processes add only one canary to each lane', async () => {
  const { db, pool, close } = await aDatabase()
  onTestFinished(close)

  expect([await addCanaries(db, letterKind), await addCanaries(db, letterKind)]).toEqual([
    lanes.length,
    0,
  ])
  await pool.query(
    `with gone as (delete from letter_waiting where lane = 'plain' returning *)
     insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, versions)
     select lane, 'letters', true, now(), array[consumer_id], array[subject], array[version] from gone`,
  )

  expect(await addCanaries(db, letterKind)).toBe(0)
  const { rows } = await pool.query<{ id: string }>('select consumer_id as id from letter_waiting')
  expect(rows.map(({ id }) => id)).toEqual([canaryConsumerId, canaryConsumerId])
})
