import { openDatabase } from '@despatch/store/database'
import { expect, test } from 'vitest'
import { startDatabaseServer } from '../../faults/ground/database-server.ts'
import { seedDatabase } from '../../faults/ground/seed-database.ts'
import { makeConsumer } from '../../load/consumer.ts'
import { addProvider } from '../../stack/provider-loop/add-provider.ts'

test('a database of an earlier release gets the accounts for an upgrade under load', async () => {
  await using server = await startDatabaseServer()
  const url = await server.addDatabase()
  const environment = { DESPATCH_KEY_SIGNING: 'ab'.repeat(32) }

  const { consumer, provider } = await seedDatabase(
    { ...server, releaseTree: 'earlier' },
    url,
    async (database) => ({
      consumer: await makeConsumer(database.db, { environment }),
      provider: await addProvider(database),
    }),
  )

  const { pool, close } = openDatabase(url, { name: 'test', connectionsMax: 1 })
  const { rows } = await pool.query(
    `select consumer.id, count(contract.id)::integer as contracts, provider_id as provider
     from consumer left join contract on consumer_id = consumer.id
     group by consumer.id order by provider_id nulls first`,
  )
  await close()
  expect(rows).toMatchObject([
    { id: consumer.consumerId, contracts: 2, provider: null },
    { contracts: 0, provider: provider.id },
  ])
})
