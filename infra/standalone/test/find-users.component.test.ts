import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { beginApiKeyChange, setConsumerDisabled } from '@despatch/store/access/consumer-credentials'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { scratchFolder } from '@despatch/testing/scratch-folder'
import { expect, test } from 'vitest'
import { type Credential, makeUsers, type Users, writeCredentials } from '../src/credentials.ts'
import { findUsers } from '../src/find-users.ts'
import { seedUsers } from '../src/seed-users.ts'

const embedded = { isEmbedded: true }
const given = { isEmbedded: false }

/** A database in which these users exist, and an empty folder. */
async function aDatabaseOf(users?: Users) {
  await using parts = new AsyncDisposableStack()
  const { url, drop } = await cloneDatabase()
  parts.defer(drop)
  const { db, close } = openDatabase(url, { name: 'test', connectionsMax: 1 })
  parts.defer(close)
  const directory = await mkdtemp(join(scratchFolder(), 'despatch-users-'))
  parts.defer(() => rm(directory, { recursive: true }))
  if (users) await seedUsers(url, users)

  async function isWorking({ userName, password, apiKey }: Credential): Promise<boolean> {
    const account = await findAccountByUserName(db, userName)
    if (!account?.apiKeyHash.equals(hashApiKey(apiKey))) return false
    return verifyPassword(account.passwordHash, password)
  }
  const held = parts.move()
  return {
    db,
    directory,
    find: (place: { isEmbedded: boolean }, folder = directory) => findUsers(url, folder, place),
    seed: (found: Users) => seedUsers(url, found),
    idOf: async ({ userName }: Credential) => (await findAccountByUserName(db, userName))!.id,
    remove: ({ userName }: Credential) =>
      db
        .updateTable('consumer')
        .set({ user_name: 'another' })
        .where('user_name', '=', userName)
        .execute(),
    /** Returns who can sign in with the password and has the API key. */
    working: async ({ consumer, provider, operator }: Users) => [
      await isWorking(consumer),
      await isWorking(provider),
      await isWorking(operator),
    ],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

test.each([embedded, given])('makes users for a new database: %o', async (place) => {
  await using database = await aDatabaseOf()

  const { origin, users } = await database.find(place)
  await database.seed(users!)

  expect(origin).toBe('made')
  expect(await database.working(users!)).toEqual([true, true, true])
})

test('reads the users of an earlier start', async () => {
  const users = makeUsers()
  await using database = await aDatabaseOf(users)
  await writeCredentials(database.directory, { baseUrl: '', opsUrl: '', ...users })

  expect(await database.find(embedded)).toEqual({ origin: 'file', users })
  expect(await database.working(users)).toEqual([true, true, true])
})

test('changes no user of a given database, even if one of them is missing', async () => {
  const first = makeUsers()
  await using database = await aDatabaseOf(first)
  await database.remove(first.operator)

  expect(await database.find(given)).toEqual({ origin: 'elsewhere' })
  expect(await database.working(first)).toEqual([true, true, false])
})

test('renews the lost credentials of the users that exist, also of a disabled one', async () => {
  const first = makeUsers()
  await using database = await aDatabaseOf(first)
  await database.remove(first.operator)
  const consumerId = await database.idOf(first.provider)
  await setConsumerDisabled(database.db, { consumerId, isDisabled: true })

  const { origin, users } = await database.find(embedded)
  await database.seed(users!)

  expect(origin).toBe('renewed')
  expect(await database.working(users!)).toEqual([true, true, true])
  expect(await database.working(first)).toEqual([false, false, false])
  const { disabledAt } = (await findAccountByUserName(database.db, first.provider.userName))!
  expect(disabledAt).not.toBeNull()
  expect(await readdir(database.directory)).toEqual([])
})

test('renews one user after the other, up to one whose key is being changed; the next start renews all', async () => {
  const first = makeUsers()
  await using database = await aDatabaseOf(first)
  const consumerId = await database.idOf(first.provider)
  const changeId = '11111111-1111-4111-8111-111111111111'
  await beginApiKeyChange(database.db, { consumerId, changeId, overdueSeconds: 60 })

  await expect(database.find(embedded)).rejects.toThrow(
    'The API key of demo-provider is being changed. Try again in a minute',
  )
  expect(await database.working(first)).toEqual([false, true, true])

  await database.db
    .updateTable('consumer')
    .set({ api_key_change_began_at: new Date(Date.now() - 61_000) })
    .where('id', '=', consumerId)
    .execute()
  const { users } = await database.find(embedded)
  expect(await database.working(users!)).toEqual([true, true, true])
})

test('renews nothing if the file cannot be written', async () => {
  const first = makeUsers()
  await using database = await aDatabaseOf(first)

  const found = database.find(embedded, join(database.directory, 'missing'))

  await expect(found).rejects.toThrow('ENOENT')
  expect(await database.working(first)).toEqual([true, true, true])
})
