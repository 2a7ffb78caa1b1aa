import { randomBytes } from 'node:crypto'
import type { SignInSubjectKind } from '@despatch/domain/access/lockout'
import {
  countSignInFailure,
  deleteOldSignIns,
  readSignInHistory,
  recordSignIn,
  type SignInSubjects,
} from '@despatch/store/access/sign-in-history'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'

const { db, pool } = await shared(aDatabase({ connectionsMax: 8 }))
const retention = { failureSeconds: 600, knownDays: 30 }

function someSubjects(): SignInSubjects {
  return { pair: randomBytes(32), user: randomBytes(32), source: randomBytes(32) }
}

/** Counts an attempt for some of the subjects. */
const count = (subjects: SignInSubjects, kinds: SignInSubjectKind[], forgetSeconds = 3_600) =>
  countSignInFailure(
    db,
    kinds.map((kind) => ({ kind, hash: subjects[kind], forgetSeconds })),
  )

const age = ({ pair, user, source }: SignInSubjects, seconds: number) =>
  pool.query(
    `update sign_in_failure set last_failed_at = last_failed_at - $2 * interval '1 second'
     where subject_hash = any ($1)`,
    [[pair, user, source], seconds],
  )
const ageSignIn = ({ pair }: SignInSubjects, days: number) =>
  pool.query(
    `update known_sign_in set last_at = last_at - $2 * interval '1 day' where pair_hash = $1`,
    [pair, days],
  )

const read = (subjects: SignInSubjects) => readSignInHistory(db, subjects, retention)

const failuresOf = async (subjects: SignInSubjects) =>
  Object.fromEntries(
    Object.entries((await read(subjects)).failures).map(([kind, { failures }]) => [kind, failures]),
  )

test('counts attempts for each subject, and returns the age of the last by the database clock', async () => {
  const subjects = someSubjects()
  await count(subjects, ['pair', 'user'])
  await count(subjects, ['pair', 'user', 'source'])
  await count(someSubjects(), ['pair', 'user', 'source'])
  await age(subjects, 100)

  expect(await failuresOf(subjects)).toEqual({ pair: 2, user: 2, source: 1 })
  const { ageMs } = (await read(subjects)).failures.user!
  expect(ageMs).toBeGreaterThanOrEqual(100_000)
  expect(ageMs).toBeLessThan(200_000)
  expect(await read(someSubjects())).toEqual({ failures: {}, isKnown: false })
})

test('subjects of another kind with the same hash are different', async () => {
  const subjects = someSubjects()
  const { user } = subjects
  await count(subjects, ['user'])

  expect(await failuresOf({ pair: user, user: randomBytes(32), source: user })).toEqual({})
})

test('counts every one of many concurrent attempts', async () => {
  const subjects = someSubjects()

  await Promise.all(
    Array.from({ length: 30 }, () => count(subjects, ['pair', 'user', 'source'], 60)),
  )

  expect(await failuresOf(subjects)).toEqual({ pair: 30, user: 30, source: 30 })
})

test('restarts the count if the last attempt is too old', async () => {
  const subjects = someSubjects()
  await count(subjects, ['user'])
  await count(subjects, ['user'])
  await age(subjects, 3_599)
  await count(subjects, ['user'])
  expect(await failuresOf(subjects)).toEqual({ user: 3 })

  await age(subjects, 3_601)
  await count(subjects, ['user'])
  expect(await failuresOf(subjects)).toEqual({ user: 1 })
})

test('a sign-in clears the attempts of its pair, and marks the pair as known for 30 days', async () => {
  const subjects = someSubjects()
  await count(subjects, ['pair', 'user', 'source'])

  await recordSignIn(db, subjects.pair)

  expect(await read(subjects)).toMatchObject({ isKnown: true })
  expect(await failuresOf(subjects)).toEqual({ user: 1, source: 1 })
  expect((await read({ ...someSubjects(), user: subjects.user })).isKnown).toBe(false)
  await ageSignIn(subjects, 30)
  expect((await read(subjects)).isKnown).toBe(false)
  await recordSignIn(db, subjects.pair)
  expect((await read(subjects)).isKnown).toBe(true)
})

test('a sign-in is recorded at most once a day', async () => {
  const subjects = someSubjects()
  const version = async () => {
    const { rows } = await pool.query('select xmin from known_sign_in where pair_hash = $1', [
      subjects.pair,
    ])
    return rows[0].xmin
  }
  await recordSignIn(db, subjects.pair)
  await ageSignIn(subjects, 0.9)
  const first = await version()
  await recordSignIn(db, subjects.pair)
  const second = await version()
  await ageSignIn(subjects, 0.2)
  const aged = await version()
  await recordSignIn(db, subjects.pair)

  expect(second).toBe(first)
  expect(await version()).not.toBe(aged)
})

test('deletes only entries older than the limit', async () => {
  const [old, young] = [someSubjects(), someSubjects()]
  for (const subjects of [old, young]) {
    await recordSignIn(db, subjects.pair)
    await count(subjects, ['user'])
  }
  await age(old, 601)
  await age(young, 590)
  await ageSignIn(old, 30.01)
  await ageSignIn(young, 29.99)

  await deleteOldSignIns(db, retention)
  await deleteOldSignIns(db, retention)

  expect(await failuresOf(young)).toEqual({ user: 1 })
  expect(await failuresOf(old)).toEqual({})
  const { rows } = await pool.query('select from known_sign_in where pair_hash = any ($1)', [
    [old.pair, young.pair],
  ])
  expect(rows).toHaveLength(1)
  expect((await read(young)).isKnown).toBe(true)
})
