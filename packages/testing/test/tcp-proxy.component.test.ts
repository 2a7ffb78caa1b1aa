import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../src/clone-database.ts'
import { startTcpProxy } from '../src/tcp-proxy.ts'

async function aProxiedDatabase() {
  const database = await cloneDatabase()
  const proxy = await startTcpProxy({ port: Number(new URL(inject('infra').postgresUrl).port) })
  const direct = await openPool(database.url)
  const through = await openPool(proxy.through(database.url))
  onTestFinished(async () => {
    await proxy.close()
    await Promise.all([direct.end(), through.end()])
    await database.drop()
  })
  await direct.query('create table kept (value integer)')
  return { proxy, direct, through }
}

async function openPool(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('error', () => {})
  return pool
}

test('loses the reply to a statement that the server has carried out', async () => {
  const { proxy, direct, through } = await aProxiedDatabase()
  await through.query('select 1')

  const lost = proxy.loseReply({ request: (bytes) => bytes.includes('insert') })
  const inserted = through.query('insert into kept values (1)')

  await expect(inserted).rejects.toThrow()
  await lost
  expect((await direct.query('select value from kept')).rows).toEqual([{ value: 1 }])
})

test('loses the reply to a commit, and no earlier one of its transaction', async () => {
  const { proxy, direct, through } = await aProxiedDatabase()
  const client = await through.connect()
  client.on('error', () => {})

  const lost = proxy.loseReply({ request: (bytes) => bytes.includes('insert') })
  await client.query('begin')
  await client.query('insert into kept values (2)')
  await expect(client.query('commit')).rejects.toThrow()

  await lost
  client.release(true)
  expect((await direct.query('select value from kept')).rows).toEqual([{ value: 2 }])
})

test('refuses connections until `resume`', async () => {
  const { proxy, through } = await aProxiedDatabase()
  await through.query('select 1')

  proxy.refuse()
  await expect(through.query('select 1')).rejects.toThrow()

  proxy.resume()
  await expect(through.query('select 1')).resolves.toMatchObject({ rowCount: 1 })
})

test('hangs: a statement gets no answer until `resume`, and then fails', async () => {
  const { proxy, through } = await aProxiedDatabase()
  await through.query('select 1')

  proxy.hang()
  const asked = through.query('select 2').then(
    () => 'answered',
    () => 'failed',
  )
  const first = await Promise.race([asked, new Promise((done) => setTimeout(done, 200, 'hangs'))])
  proxy.resume()

  expect(first).toBe('hangs')
  expect(await asked).toBe('failed')
})

test('stops before a request reaches the server, and then cuts or passes on', async () => {
  const { proxy, direct, through } = await aProxiedDatabase()
  const count = async () => (await direct.query('select value from kept')).rows.length
  const isInsert = (bytes: Buffer) => bytes.includes('insert')

  const cut = proxy.stopAt({ at: 'before-request', request: isInsert, act: async () => 'cut' })
  await expect(through.query('insert into kept values (3)')).rejects.toThrow()
  await cut
  expect(await count()).toBe(0)

  const seen: number[] = []
  const passed = proxy.stopAt({
    at: 'before-request',
    request: isInsert,
    act: async () => {
      seen.push(await count())
      return 'pass'
    },
  })
  await through.query('insert into kept values (4)')
  await passed
  expect([...seen, await count()]).toEqual([0, 1])
})

test('stops before the client knows, and then passes on or answers itself', async () => {
  const { proxy, direct, through } = await aProxiedDatabase()
  const isInsert = (bytes: Buffer) => bytes.includes('insert')

  const seen: number[] = []
  const passed = proxy.stopAt({
    at: 'before-reply',
    request: isInsert,
    act: async () => {
      seen.push((await direct.query('select value from kept')).rows.length)
      return 'pass'
    },
  })
  await through.query('insert into kept values (5)')
  await passed
  expect(seen).toEqual([1])

  const answered = proxy.stopAt({ at: 'before-request', act: async () => ({ answer: '?' }) })
  await expect(through.query('select 1')).rejects.toThrow()
  await answered
})

test('an action that fails cuts the connection and says so', async () => {
  const { proxy, through } = await aProxiedDatabase()

  const failed = proxy.stopAt({
    at: 'before-request',
    act: async () => {
      throw new Error('the action failed')
    },
  })
  const [reason, query] = await Promise.allSettled([failed, through.query('select 1')])

  expect(reason).toMatchObject({ reason: new Error('the action failed') })
  expect(query.status).toBe('rejected')
})
