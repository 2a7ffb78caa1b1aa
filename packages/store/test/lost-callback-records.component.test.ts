import { aDatabase } from '@despatch/testing/a-database'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { aRecord, takeOnce } from '@despatch/testing/take-callbacks'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { expect, test } from 'vitest'
import { recordCallbacks } from '../src/callback/record.ts'
import { openDatabase } from '../src/database.ts'

const direct = await shared(aDatabase({ pipeline: true }))
const proxy = await shared(startTcpProxy({ port: Number(new URL(direct.url).port) }))
const { pool } = await shared(
  openDatabase(proxy.through(direct.url), { name: 'lost', connectionsMax: 4 }),
)

test('callback records whose reply is lost are written once, and reported as written', async () => {
  const seed = await seeder(direct.db)
  const owe = async () => seed.callback({ print_job_key: await seed.printJob() })
  const ids = [await owe(), await owe(), await owe()]
  const { callbacks } = await takeOnce(direct.pool)
  const [first, second, third] = callbacks
  const at = new Date('2099-03-02T10:00:01.987Z')
  const { attempt: _, ...postponed } = aRecord(second!, { kind: 'postpone', at })
  const overtaken = aRecord({ ...third!, epoch: 99 }, { kind: 'delivered' })

  const lost = proxy.loseReply({ request: (bytes) => bytes.includes('callbacks-record') })
  const recorded = await recordCallbacks(pool, [
    aRecord(first!, { kind: 'delivered' }),
    postponed,
    overtaken,
  ])
  await lost

  expect(recorded.toSorted()).toEqual([first!.id, second!.id].toSorted())
  const { rows } = await direct.pool.query(
    `select id, state, attempts, (select count(*) from callback_attempt where callback_id = callback.id) as rows
     from callback where id = any ($1)`,
    [ids],
  )
  const found = new Map(rows.map(({ id, ...others }) => [id, others]))
  expect(found.get(first!.id)).toEqual({ state: 'DELIVERED', attempts: 1, rows: 1 })
  expect(found.get(second!.id)).toEqual({ state: 'DUE', attempts: 0, rows: 0 })
  expect(found.get(third!.id)).toEqual({ state: 'DUE', attempts: 0, rows: 0 })
})
