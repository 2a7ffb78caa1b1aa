import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../src/clone-database.ts'
import { startTcpProxy } from '../src/tcp-proxy.ts'

// If nothing is lost, the suites of the project `lost-replies` pass without testing anything.
test('loses the first reply to each write after its commit, and lets the repeated write through', async () => {
  const database = await cloneDatabase()
  onTestFinished(database.drop)
  const proxy = await startTcpProxy({ port: Number(new URL(inject('infra').postgresUrl).port) })
  onTestFinished(proxy.close)
  const direct = await connect(database.url)
  await direct.query('create table kept (value integer)')
  const lost = proxy.loseReplies({ request: (bytes) => bytes.includes('insert') })

  const first = await connect(proxy.through(database.url))
  await first.query('begin')
  await first.query('insert into kept values (1)')
  await expect(first.query('commit')).rejects.toThrow()

  expect((await direct.query('select value from kept')).rows).toEqual([{ value: 1 }])
  const second = await connect(proxy.through(database.url))
  await second.query('insert into kept values (1)')
  await expect(second.query('insert into kept values (2)')).rejects.toThrow()
  expect(lost()).toBe(2)
  expect((await direct.query('select value from kept')).rows).toHaveLength(3)
})

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
