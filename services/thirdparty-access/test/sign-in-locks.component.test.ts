import { createPasswordRecovery } from '@despatch/access/recover-password'
import { createPasswordCheck, createSignIn, type PasswordCheck } from '@despatch/access/sign-in'
import { createSignInGate } from '@despatch/access/sign-in-gate'
import { expect, onTestFinished, test } from 'vitest'
import {
  authenticationFailure,
  dayMs,
  isoDay,
  password,
  signInKeyHex,
  startAccess,
} from './an-access-service.ts'

/** A first delay that does not end during a test. */
const firstDelayMs = 60_000

async function anAccessService(settings: Record<string, string> = {}) {
  const access = await startAccess({
    DESPATCH_LOCKOUT_FIRST_DELAY_MS: String(firstDelayMs),
    ...settings,
  })
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
      expect(await access.signIn(userName, 'wrong')).toMatchObject(authenticationFailure)
    }
  }
  const status = async (userName = 'notify', given = password) =>
    (await access.signIn(userName, given)).status
  /** Signs in from this address. */
  const from = (address: string, userName = 'notify', given = password) =>
    access.post('authenticate', { userName, password: given }, {}, address)
  return { ...access, pass, failures, fail, status, from }
}

/** Rounds Retry-After up to tens of seconds, because time passes during a test. */
function inTens(retryAfter: string | undefined): number | undefined {
  return retryAfter === undefined ? undefined : Math.ceil(Number(retryAfter) / 10) * 10
}

test('the 5th wrong password locks for the first delay, and the 6th for twice as long, even for the right one', async () => {
  const { fail, pass, status, failures } = await anAccessService()

  await fail(4)
  expect(await status()).toBe(200)
  await fail(5)
  expect(await status()).toBe(401)
  await pass(firstDelayMs)
  await fail(1)
  await pass(firstDelayMs)
  expect(await status()).toBe(401)
  await pass(firstDelayMs)
  expect(await status()).toBe(200)
  expect(await failures()).toEqual(['source 10', 'user 10'])
})

test('a lock applies in every process, and after a restart', async () => {
  const { fail, another, service } = await anAccessService()
  const { post } = await another()
  await fail(5)

  const body = { userName: 'notify', password }
  expect(await post('authenticate', body)).toMatchObject(authenticationFailure)
  await service.close()
  const { post: postAfterwards } = await another()
  expect(await postAfterwards('authenticate', body)).toMatchObject(authenticationFailure)
})

test('a right guess among many concurrent wrong ones is refused', async () => {
  const { signIn } = await anAccessService()

  const answers = await Promise.all([
    ...Array.from({ length: 60 }, () => signIn('notify', 'wrong')),
    signIn(),
  ])

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
})

test('a lock that begins during the check of the right password refuses it', async () => {
  const { db, clock } = await anAccessService()
  const rules = { attempts: 1, firstDelayMs: 60_000, delayMsMax: 60_000 }
  const limits = { pair: rules, user: rules, source: rules }
  const gate = createSignInGate({ db, secretKeyHex: signInKeyHex, limits })
  const attempt = { userName: 'notify', source: '192.0.2.1' }
  const real = await createPasswordCheck()
  const sources: string[] = []
  const verify: PasswordCheck['verify'] = async (...given) => {
    sources.push(given[2])
    await gate.refuse(db, attempt, await gate.decide(attempt))
    return real.verify(...given)
  }
  const signIn = createSignIn({ db, gate, check: { ...real, verify }, now: () => clock.now })

  expect(await signIn({ ...attempt, password })).toEqual({
    kind: 'refused',
    retryAfterSeconds: expect.any(Number),
  })
  expect(sources).toEqual([attempt.source])
})

test('concurrent sign-ins with the right password all succeed', async () => {
  const { signIn } = await anAccessService()

  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn()))

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('failed attempts from many addresses lock a user name, except for addresses where it signed in before', async () => {
  const { from, failures, pool } = await anAccessService({
    DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: '10',
  })
  await from('192.0.2.1')
  for (let last = 0; last < 10; last += 1) await from(`198.51.100.${last}`, 'notify', 'wrong')

  expect((await from('192.0.2.2')).status).toBe(401)
  expect((await from('192.0.2.1')).status).toBe(200)
  await from('192.0.2.1', 'notify', 'wrong')
  expect((await from('192.0.2.1')).status).toBe(200)
  expect(await failures()).toContain('user 10')
  await pool.query(`update known_sign_in set last_at = last_at - interval '31 days'`)
  expect((await from('192.0.2.1')).status).toBe(401)
})

test('the right password does not clear failed attempts from other addresses', async () => {
  const { from } = await anAccessService({ DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: '4' })
  for (const last of [1, 2, 3]) await from(`198.51.100.${last}`, 'notify', 'wrong')
  await from('192.0.2.1')

  await from('198.51.100.4', 'notify', 'wrong')

  expect((await from('192.0.2.2')).status).toBe(401)
})

test('failed attempts from one address never refuse the right password of another user there', async () => {
  const { from, seed } = await anAccessService({ DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '10' })
  for (const user of ['usual', 'first-time', 'mistaken']) await seed(user)
  await from('192.0.2.1', 'usual')
  for (let user = 0; user < 12; user += 1) await from('192.0.2.1', `user-${user}`, 'wrong')

  await from('192.0.2.1', 'usual', 'wrong')
  expect((await from('192.0.2.1', 'usual')).status).toBe(200)
  expect((await from('192.0.2.1', 'first-time')).status).toBe(200)
  // A second guess at the same user name is what the lock of the address prevents.
  await from('192.0.2.1', 'mistaken', 'wrong')
  expect((await from('192.0.2.1', 'mistaken')).status).toBe(401)
  expect((await from('192.0.2.2', 'mistaken')).status).toBe(200)
})

test('successful sign-ins do not allow more guesses at other users', async () => {
  const { from, seed } = await anAccessService({ DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '4' })
  await seed('own')
  for (const user of ['a', 'b', 'c', 'd']) {
    await from('192.0.2.1', user, 'wrong')
    await from('192.0.2.1', 'own')
  }
  await from('192.0.2.1', 'notify', 'wrong')

  expect((await from('192.0.2.1')).status).toBe(401)
})

test('a refusal says when to retry, the same for right and wrong passwords and unknown users', async () => {
  const { from, pass } = await anAccessService()
  const answers = async (userName: string, given: string) => {
    const address = `192.0.2.${userName.length}${given.length}`
    const headers = []
    for (let time = 0; time < 7; time += 1) {
      headers.push((await from(address, userName, time < 5 ? 'wrong' : given)).retryAfter)
    }
    await pass(firstDelayMs)
    headers.push((await from(address, userName, 'wrong')).retryAfter)
    return headers.map(inTens)
  }
  const expected = [undefined, undefined, undefined, undefined, 60, 60, 60, 120]

  expect(await answers('notify', password)).toEqual(expected)
  expect(await answers('notify', 'wrong')).toEqual(expected)
  expect(await answers('nobody', password)).toEqual(expected)
})

// Someone who shares an address with a user must not learn that the user exists and signs in from there.
test('a lock looks the same for known, new and unknown users', async () => {
  const { from, seed, db } = await anAccessService({
    DESPATCH_LOCKOUT_USER_ATTEMPTS: '3',
    DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: '4',
  })
  await seed('other')
  await from('192.0.2.1', 'notify')
  const seen: unknown[] = []
  for (const user of ['notify', 'other', 'nobody']) {
    await db.deleteFrom('sign_in_failure').execute()
    for (let last = 0; last < 4; last += 1) await from(`198.51.100.${last}`, user, 'wrong')
    const answers = []
    for (let time = 0; time < 4; time += 1) {
      const { retryAfter, ...answer } = await from('192.0.2.1', user, 'wrong')
      answers.push({ ...answer, seconds: inTens(retryAfter) })
    }
    const rows = await db
      .selectFrom('sign_in_failure')
      .select(['kind', 'failures'])
      .orderBy('kind')
      .orderBy('failures')
      .execute()
    seen.push({ answers, rows })
  }

  expect(seen[0]).toMatchObject({
    answers: [1, 2, 3, 4].map(() => ({ ...authenticationFailure, seconds: 60 })),
  })
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

test('all addresses of an IPv6 /64 network are one source', async () => {
  const { from } = await anAccessService({ DESPATCH_LOCKOUT_USER_ATTEMPTS: '3' })
  for (const last of [1, 2, 3]) await from(`2001:db8::${last}`, 'notify', 'wrong')

  expect((await from('2001:db8::4')).status).toBe(401)
  expect((await from('2001:db8:0:1::4')).status).toBe(200)
})

test('failed attempts of an address are forgotten after an hour without another, those of a user after a day', async () => {
  const { fail, pass, failures } = await anAccessService()
  await fail(3)

  await pass(61 * 60 * 1000)
  await fail(1)
  expect(await failures()).toEqual(['pair 4', 'source 1', 'user 4'])
  await pass(dayMs + 1_000)
  await fail(1)
  expect(await failures()).toEqual(['pair 1', 'source 1', 'user 1'])
})

test.each([
  {
    trusted: '0',
    of: 'the connection',
    forwarded: ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
  },
  {
    trusted: '1',
    of: 'what the proxy adds',
    forwarded: [
      '203.0.113.1, 198.51.100.1',
      '203.0.113.2, 198.51.100.1',
      '203.0.113.3, 198.51.100.1',
    ],
  },
])(
  'behind $trusted trusted proxies, the source is the address of $of',
  async ({ trusted, forwarded }) => {
    const { post } = await anAccessService({
      DESPATCH_LOCKOUT_USER_ATTEMPTS: '3',
      DESPATCH_TRUSTED_PROXIES: trusted,
    })
    const signInVia = async (address: string, given: string) => {
      const headers = { 'x-forwarded-for': address }
      return (await post('authenticate', { userName: 'notify', password: given }, headers)).status
    }
    for (const address of forwarded) await signInVia(address, 'wrong')

    expect(await signInVia('203.0.113.9, 198.51.100.1', password)).toBe(401)
    const fromAnother = trusted === '0' ? 401 : 200
    expect(await signInVia('198.51.100.1, 198.51.100.2', password)).toBe(fromAnother)
  },
)

test('an implausible number of trusted proxies is logged, without an address', async () => {
  const { post, lines } = await anAccessService()
  const warnings = () => lines.filter((line) => line.includes('trusted-proxies.wrong'))
  const signInVia = (headers: Record<string, string>) =>
    post('authenticate', { userName: 'notify', password }, headers, '127.0.0.1')
  await signInVia({})
  expect(warnings()).toEqual([])

  for (const last of [1, 2]) await signInVia({ 'x-forwarded-for': `198.51.100.${last}` })

  expect(warnings().map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', setting: 'DESPATCH_TRUSTED_PROXIES', trustedProxies: 0, fault: 'too-few' },
  ])
  expect(warnings().join('')).not.toMatch(/198\.51|127\.0/)
})

test('stores keyed hashes instead of user names and addresses', async () => {
  const { fail, db } = await anAccessService()
  await fail(1)

  const rows = await db.selectFrom('sign_in_failure').select('subject_hash').execute()

  expect(rows.map(({ subject_hash }) => subject_hash.length)).toEqual([32, 32, 32])
  expect(rows.some(({ subject_hash }) => subject_hash.includes('notify'))).toBe(false)
})

// If a check were skipped or repeated, the response time would reveal the error.
test('every path checks exactly one password, with any mistake', async () => {
  const { db, seed, change, clock } = await anAccessService()
  await change({ disabled_at: new Date() }, await seed('disabled'))
  const yesterday = isoDay(new Date(clock.now.getTime() - dayMs))
  await change({ password_expires_on: yesterday }, await seed('expired'))
  const rules = { attempts: 2, firstDelayMs: 60_000, delayMsMax: 60_000 }
  const many = { ...rules, attempts: 1_000 }
  const limits = { pair: rules, user: { ...rules, attempts: 3 }, source: many }
  const gate = createSignInGate({ db, secretKeyHex: signInKeyHex, limits })
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
    secretKeyHex: signInKeyHex,
    now,
  })
  const checksOf = async (run: () => Promise<unknown>) => {
    checks = 0
    await run()
    return checks
  }
  const source = '192.0.2.1'
  const elsewhere = '198.51.100.1'
  const sign = (userName: string, given: string, from = source) =>
    checksOf(() => signIn({ userName, password: given, source: from }))
  const recover = (userName: string, verifyCode = '000000', from = source) =>
    checksOf(() =>
      recovery.recover({ userName, verifyCode, newPassword: 'New-passw0rd', source: from }),
    )

  const counts = {
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
    wrongElsewhere: await sign('notify', 'wrong', elsewhere),
    lockedEverywhere: await sign('notify', password, '198.51.100.2'),
    wrongWhileLockedEverywhere: await sign('notify', 'wrong', '198.51.100.2'),
    codeWhileLockedEverywhere: await recover('notify', '000000', elsewhere),
  }

  expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((path) => [path, 1])))
})
