import { randomBytes } from 'node:crypto'
import {
  clearSignInFailures,
  countSignInFailure,
  deleteOldSignInFailures,
  listSignInFailures,
  type SignInSubject,
} from '@despatch/store/access/sign-in-failures'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'

const database = await shared(aDatabase({ connectionsMax: 8 }))

function aSubject(kind: 'user' | 'source' = 'user'): SignInSubject {
  return { kind, hash: randomBytes(32) }
}

const count = (subject: SignInSubject, forgetSeconds = 3_600) =>
  countSignInFailure(database.db, [{ ...subject, forgetSeconds }])

const age = (subject: SignInSubject, seconds: number) =>
  database.pool.query(
    `update sign_in_failure set last_failed_at = last_failed_at - $2 * interval '1 second' where subject_hash = $1`,
    [subject.hash, seconds],
  )

const failuresOf = async (...subjects: SignInSubject[]) =>
  (await listSignInFailures(database.db, subjects)).map(
    ({ kind, failures }) => `${kind} ${failures}`,
  )

test('counts for each subject, and tells the age of the last by the clock of the database', async () => {
  const user = aSubject()
  const source = aSubject('source')
  const other = aSubject()
  await count(user)
  await count(user)
  await count(source)
  await count(other)
  await age(user, 10)

  expect((await failuresOf(user, source)).sort()).toEqual(['source 1', 'user 2'])
  const [known] = await listSignInFailures(database.db, [user])
  expect(known!.ageMs).toBeGreaterThanOrEqual(10_000)
  expect(known!.ageMs).toBeLessThan(15_000)
  expect(await failuresOf(aSubject())).toEqual([])
})

test('a user name and an address of the same hash are two subjects', async () => {
  const user = aSubject()
  await count(user)

  expect(await failuresOf({ ...user, kind: 'source' })).toEqual([])
})

test('counts every attempt of many at the same time, in whatever transactions', async () => {
  const user = aSubject()
  const source = aSubject('source')
  const both = [user, source].map((subject) => ({ ...subject, forgetSeconds: 60 }))

  await Promise.all(
    Array.from({ length: 30 }, () =>
      database.db.transaction().execute((tx) => countSignInFailure(tx, both)),
    ),
  )

  expect((await failuresOf(user, source)).sort()).toEqual(['source 30', 'user 30'])
})

test('begins anew when the last attempt is too long ago', async () => {
  const user = aSubject()
  await count(user)
  await count(user)
  await age(user, 3_599)
  await count(user)
  expect(await failuresOf(user)).toEqual(['user 3'])

  await age(user, 3_601)
  await count(user)
  expect(await failuresOf(user)).toEqual(['user 1'])
})

test('clears one subject', async () => {
  const user = aSubject()
  const other = aSubject()
  await count(user)
  await count(other)

  await clearSignInFailures(database.db, user)

  expect(await failuresOf(user, other)).toEqual(['user 1'])
})

test('deletes what is older than it is told, and nothing else', async () => {
  const old = aSubject()
  const young = aSubject()
  await count(old)
  await count(young)
  await age(old, 601)
  await age(young, 590)

  await deleteOldSignInFailures(database.db, 600)

  expect(await failuresOf(old, young)).toEqual(['user 1'])
  expect(await failuresOf(old)).toEqual([])
})
