import { findAccount } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { countQueries } from '@despatch/testing/count-queries'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createConsoleSessions } from '../src/console-session.ts'
import { seedConsumer } from '../src/seed.ts'

const { db } = await shared(aDatabase())
const options = { db, secretKeyHex: 'ab'.repeat(32), now: () => new Date() }
const sessions = createConsoleSessions({ ...options, allowsLocalAccounts: true })

async function aConsumer(userName: string) {
  const id = await seedConsumer(db, {
    userName,
    name: 'Somebody',
    password: 'as long as it has to be aA1',
    apiKey: `key of ${userName}`,
    roles: ['operator'],
    contracts: [],
  })
  const signIn = async () => {
    const { cookie } = sessions.begin((await findAccount(db, id))!, { isSecure: false })
    return { cookie: cookie.split(';', 1)[0]! }
  }
  return { id, signIn }
}

test('one query finds many sessions, and says for each cookie whether it is valid', async () => {
  const [one, disabled] = [await aConsumer('one'), await aConsumer('disabled')]
  const [valid, ended, same] = [await one.signIn(), await one.signIn(), await one.signIn()]
  const lost = await disabled.signIn()
  await sessions.end(ended)
  await db
    .updateTable('consumer')
    .set({ disabled_at: new Date() })
    .where('id', '=', disabled.id)
    .execute()
  const queries = countQueries()

  const found = await sessions.findAll([valid, ended, {}, lost, { cookie: 'nonsense' }, same])

  expect(found.map((session) => session?.consumer.userName)).toEqual([
    ...['one', undefined, undefined, undefined, undefined],
    'one',
  ])
  expect(queries.count()).toBe(1)
  expect(await sessions.findAll([{}])).toEqual([undefined])
  await expect(sessions.find(ended)).rejects.toMatchObject({ kind: 'not-authenticated' })
})

test('a session of a local account is invalid once local accounts are not allowed', async () => {
  const began = await (await aConsumer('local')).signIn()
  const later = createConsoleSessions({ ...options, allowsLocalAccounts: false })

  expect(await later.findAll([began])).toEqual([undefined])
  expect((await sessions.findAll([began]))[0]?.consumer.userName).toBe('local')
})
