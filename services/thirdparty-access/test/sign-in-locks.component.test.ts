import { createPasswordRecovery } from '@despatch/access/recover-password'
import { createPasswordCheck, createSignIn, type PasswordCheck } from '@despatch/access/sign-in'
import { createSignInGate } from '@despatch/access/sign-in-gate'
import { expect, onTestFinished, test } from 'vitest'
import {
  authenticationFailure,
  dayMs,
  isoDay,
  password,
  secretKeyHex,
  startAccess,
} from './an-access-service.ts'

async function anAccessService(settings: Record<string, string> = {}) {
  const access = await startAccess(settings)
  onTestFinished(() => access.stop())
  /** Moves the last failed sign-in this many milliseconds into the past. */
  const pass = (ms: number) =>
    access.pool.query(
      `update sign_in_failure set last_failed_at = last_failed_at - $1 * interval '1 ms'`,
      [ms],
    )
  const failures = async () => {
    const { rows } = await access.pool.query<{ kind: string; failures: number }>(
      'select kind, failures from sign_in_failure order by kind, failures',
    )
    return rows.map(({ kind, failures: count }) => `${kind} ${count}`)
  }
  const fail = async (times: number, userName = 'notify') => {
    for (let time = 0; time < times; time += 1) {
      expect(await access.signIn(userName, 'wrong')).toEqual(authenticationFailure)
    }
  }
  const status = async (userName = 'notify', given = password) =>
    (await access.signIn(userName, given)).status
  return { ...access, pass, failures, fail, status }
}

test('after 5 wrong passwords the right one is refused for a second, after the 6th for two', async () => {
  const { fail, pass, status, failures } = await anAccessService()

  await fail(4)
  expect(await status()).toBe(200)
  await fail(5)
  expect(await status()).toBe(401)
  await pass(1_000)
  await fail(1)
  await pass(1_000)
  expect(await status()).toBe(401)
  await pass(1_000)
  expect(await status()).toBe(200)
  expect(await failures()).toEqual(['source 10'])
})

test('what is tried while it is locked does not make the lock longer', async () => {
  const { fail, pass, status, failures } = await anAccessService()

  await fail(9)
  expect(await failures()).toEqual(['source 5', 'user 5'])
  await pass(1_000)
  expect(await status()).toBe(200)
})

test('a user who is not there is locked the same way', async () => {
  const { fail, failures } = await anAccessService()

  await fail(9, 'nobody')

  expect(await failures()).toEqual(['source 5', 'user 5'])
})

test('the lock of one user name leaves others alone', async () => {
  const { fail, seed, status } = await anAccessService()
  await seed('other')

  await fail(5)

  expect(await status()).toBe(401)
  expect(await status('other')).toBe(200)
})

test('a lock holds in every process, and after a restart', async () => {
  const { fail, another, service } = await anAccessService()
  const { post } = await another()
  await fail(5)

  const elsewhere = await post('authenticate', { userName: 'notify', password })
  await service.close()
  const { post: postAfterwards } = await another()
  const afterwards = await postAfterwards('authenticate', { userName: 'notify', password })

  expect([elsewhere, afterwards]).toEqual([authenticationFailure, authenticationFailure])
})

test('wrong attempts at the same time are all counted', async () => {
  const { signIn, another, failures } = await anAccessService({
    DESPATCH_LOCKOUT_USER_ATTEMPTS: '1000',
    DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '1000',
  })
  const { post } = await another()

  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? signIn('notify', 'wrong')
        : post('authenticate', { userName: 'notify', password: 'wrong' }),
    ),
  )

  expect(await failures()).toEqual(['source 20', 'user 20'])
})

test('a right guess among many wrong ones at the same time is refused once the lock is in force', async () => {
  const { signIn } = await anAccessService()

  const answers = await Promise.all([
    ...Array.from({ length: 60 }, () => signIn('notify', 'wrong')),
    signIn(),
  ])

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
})

test('right sign-ins at the same time are all let in', async () => {
  const { signIn } = await anAccessService()

  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn()))

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('20 wrong attempts from one address lock it for every user name, and a success does not clear that', async () => {
  const { fail, seed, status, post } = await anAccessService()
  await seed('other')
  for (let user = 0; user < 19; user += 1) await fail(1, `user-${user}`)
  expect(await status('other')).toBe(200)

  await fail(1, 'user-19')

  const body = { userName: 'other', password }
  expect((await post('authenticate', body, {}, '192.0.2.1')).status).toBe(401)
  expect((await post('authenticate', body, {}, '::ffff:192.0.2.1')).status).toBe(401)
  expect((await post('authenticate', body, {}, '192.0.2.2')).status).toBe(200)
})

test('all addresses of an IPv6 network of 64 bits are one source', async () => {
  const { post } = await anAccessService({ DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '3' })
  const wrong = { userName: 'nobody', password: 'wrong' }
  for (const last of [1, 2, 3]) await post('authenticate', wrong, {}, `2001:db8::${last}`)

  const body = { userName: 'notify', password }
  expect((await post('authenticate', body, {}, '2001:db8::4')).status).toBe(401)
  expect((await post('authenticate', body, {}, '2001:db8:0:1::4')).status).toBe(200)
})

test('wrong attempts of an address are forgotten after an hour without another, those of a user after a day', async () => {
  const { fail, pass, failures } = await anAccessService()
  await fail(3)

  await pass(61 * 60 * 1000)
  await fail(1)
  expect(await failures()).toEqual(['source 1', 'user 4'])
  await pass(dayMs + 1_000)
  await fail(1)
  expect(await failures()).toEqual(['source 1', 'user 1'])
})

test('X-Forwarded-For counts for nothing unless proxies are trusted', async () => {
  const { post } = await anAccessService({ DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '3' })
  for (const last of [1, 2, 3]) {
    const headers = { 'x-forwarded-for': `198.51.100.${last}` }
    await post('authenticate', { userName: 'nobody', password: 'wrong' }, headers)
  }

  const headers = { 'x-forwarded-for': '198.51.100.9' }
  const answer = await post('authenticate', { userName: 'notify', password }, headers)

  expect(answer.status).toBe(401)
})

test('behind one trusted proxy, the source is whom the proxy names, not whom the caller does', async () => {
  const { post } = await anAccessService({
    DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '3',
    DESPATCH_TRUSTED_PROXIES: '1',
  })
  for (const forged of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    const headers = { 'x-forwarded-for': `${forged}, 198.51.100.1` }
    await post('authenticate', { userName: 'nobody', password: 'wrong' }, headers)
  }
  const statusFor = async (forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded }
    return (await post('authenticate', { userName: 'notify', password }, headers)).status
  }

  expect(await statusFor('203.0.113.9, 198.51.100.1')).toBe(401)
  expect(await statusFor('198.51.100.1, 198.51.100.2')).toBe(200)
})

test('keeps neither user names nor addresses, only keyed hashes', async () => {
  const { fail, db } = await anAccessService()
  await fail(1)

  const rows = await db.selectFrom('sign_in_failure').select('subject_hash').execute()

  expect(rows.map(({ subject_hash }) => subject_hash.length)).toEqual([32, 32])
  expect(rows.some(({ subject_hash }) => subject_hash.includes('notify'))).toBe(false)
})

// If a check were skipped or repeated, the response time would reveal the error.
test('one password is checked on every path, whatever is wrong', async () => {
  const { db, seed, change, clock } = await anAccessService()
  await change({ disabled_at: new Date() }, await seed('disabled'))
  const yesterday = isoDay(new Date(clock.now.getTime() - dayMs))
  await change({ password_expires_on: yesterday }, await seed('expired'))
  const rules = { attempts: 2, firstDelayMs: 60_000, delayMsMax: 60_000 }
  const limits = { user: rules, source: { ...rules, attempts: 1_000 } }
  const gate = createSignInGate({ db, secretKeyHex, limits })
  const real = await createPasswordCheck()
  let checks = 0
  const check: PasswordCheck = {
    ...real,
    verify: (...given) => {
      checks += 1
      return real.verify(...given)
    },
  }
  const now = () => clock.now
  const signIn = createSignIn({ db, gate, check, now })
  const recovery = createPasswordRecovery({
    db,
    gate,
    check,
    secretKeyHex,
    codesPerHourMax: 5,
    now,
  })
  const checksOf = async (run: () => Promise<unknown>) => {
    checks = 0
    await run()
    return checks
  }
  const source = '192.0.2.1'
  const sign = (userName: string, given: string) =>
    checksOf(() => signIn({ userName, password: given, source }))
  const recover = (userName: string, verifyCode = '000000') =>
    checksOf(() => recovery.recover({ userName, verifyCode, newPassword: 'New-passw0rd', source }))

  expect({
    right: await sign('notify', password),
    wrong: await sign('notify', 'wrong'),
    unknown: await sign('nobody', password),
    expired: await sign('expired', password),
    disabled: await sign('disabled', password),
    wrongAgain: await sign('notify', 'wrong'),
    locked: await sign('notify', password),
    unknownAgain: await sign('nobody', password),
    lockedUnknown: await sign('nobody', password),
    codeOfUnknown: await recover('nobody-else'),
    codeOfNone: await recover('expired'),
    codeOfLocked: await recover('notify'),
  }).toEqual({
    right: 1,
    wrong: 1,
    unknown: 1,
    expired: 1,
    disabled: 1,
    wrongAgain: 1,
    locked: 1,
    unknownAgain: 1,
    lockedUnknown: 1,
    codeOfUnknown: 1,
    codeOfNone: 1,
    codeOfLocked: 1,
  })
})
