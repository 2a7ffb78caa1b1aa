import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { createPasswordRecovery } from '@despatch/access/recover-password'
import { createPasswordCheck } from '@despatch/access/sign-in'
import { createSignInGate } from '@despatch/access/sign-in-gate'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  apiKey,
  authenticationFailure,
  dayMs,
  fault,
  isoDay,
  malformed,
  password,
  signInKeyHex,
  startAccess,
  unauthorized,
} from './an-access-service.ts'

const userName = 'notify'
const newPassword = 'Correct horse 1!'
const done = { status: 200, body: {} }

async function anAccessService() {
  const access = await startAccess()
  onTestFinished(() => access.stop())
  const { db, consumerId, clock, post } = access
  const rules = { attempts: 1_000, firstDelayMs: 0, delayMsMax: 0 }
  const recovery = createPasswordRecovery({
    db,
    gate: createSignInGate({
      db,
      secretKeyHex: signInKeyHex,
      limits: { pair: rules, user: rules, source: rules },
    }),
    check: await createPasswordCheck(),
    secretKeyHex: signInKeyHex,
    now: () => clock.now,
  })
  const issueCode = async (id = consumerId) => (await recovery.issueCode(id))!
  const change = (body: object) => post('password', { userName, ...body })
  return { ...access, issueCode, setPassword: change }
}

/** Returns another code of six digits. */
function other(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

test('a recovery code works only from the networks of its consumer, and other networks do not use it up', async () => {
  const { post, issueCode, change, signIn } = await anAccessService()
  await change({ networks: ['203.0.113.0/24'] })
  const verifyCode = await issueCode()
  const recover = (code: string, from: string) =>
    post('password', { userName, verifyCode: code, newPassword }, {}, from)

  expect((await recover(verifyCode, '198.51.100.7')).status).toBe(403)
  expect(await recover(other(verifyCode), '198.51.100.7')).toEqual(unauthorized)
  expect(await recover(verifyCode, '203.0.113.7')).toEqual(done)
  expect((await signIn(userName, newPassword)).status).toBe(403)
})

describe('200', () => {
  test('the current password sets a new one for 90 days, and becomes invalid', async () => {
    const { setPassword, signIn, clock, auditEvents, consumerId, change } = await anAccessService()
    await change({ password_expires_on: isoDay(clock.now) })

    expect(await setPassword({ password, newPassword })).toEqual(done)

    const passwordExpiry = isoDay(new Date(clock.now.getTime() + 90 * dayMs))
    expect(await signIn()).toEqual(authenticationFailure)
    expect((await signIn(userName, newPassword)).body).toMatchObject({ passwordExpiry })
    expect((await auditEvents()).slice(1)).toEqual([
      {
        actor: `consumer:${consumerId}`,
        action: 'password.changed',
        detail: { by: 'password', expiresOn: passwordExpiry, endsTokens: false },
      },
    ])
  })

  test.each<[string, { endTokens?: boolean; isByCode?: true }, { isValid: boolean }]>([
    ['the current password', {}, { isValid: true }],
    ['the current password and endTokens', { endTokens: true }, { isValid: false }],
    ['a code and endTokens false', { isByCode: true, endTokens: false }, { isValid: false }],
  ])(
    'a change with %s invalidates the old password, and keeps or ends existing tokens',
    async (_name, { isByCode, ...options }, { isValid }) => {
      const { setPassword, issueCode, signIn, db, auditEvents } = await anAccessService()
      const { body: before } = await signIn()
      const right = isByCode ? { verifyCode: await issueCode() } : { password }

      expect(await setPassword({ ...right, newPassword, ...options })).toEqual(done)

      const { body: after } = await signIn(userName, newPassword)
      const authenticate = createAuthenticator({ db })
      const works = (token: string) =>
        Promise.resolve(authenticate({ authorization: token, 'x-api-key': apiKey })).then(
          () => true,
          () => false,
        )
      expect(await signIn()).toEqual(authenticationFailure)
      expect(await works(before['id-token'])).toBe(isValid)
      expect(await works(after['id-token'])).toBe(true)
      expect((await auditEvents()).at(-1)?.detail).toMatchObject({ endsTokens: !isValid })
    },
  )

  test('a code sets a new password, even if the old one has expired', async () => {
    const { setPassword, issueCode, signIn, change, auditEvents, consumerId } =
      await anAccessService()
    await change({ password_expires_on: '2020-01-01' })
    const verifyCode = await issueCode()

    expect(await setPassword({ verifyCode, newPassword })).toEqual(done)

    expect((await signIn(userName, newPassword)).status).toBe(200)
    expect((await auditEvents()).slice(1)).toMatchObject([
      { actor: 'user', action: 'recovery-code.issued' },
      {
        actor: `consumer:${consumerId}`,
        action: 'password.changed',
        detail: { by: 'verify-code' },
      },
    ])
  })

  test('clears the failed attempts of the user at this source', async () => {
    const { setPassword, signIn, db } = await anAccessService()
    for (let attempt = 0; attempt < 4; attempt += 1) await signIn(userName, 'wrong')

    await setPassword({ password, newPassword })

    const left = await db.selectFrom('sign_in_failure').select('kind').orderBy('kind').execute()
    expect(left).toEqual([{ kind: 'source' }, { kind: 'user' }])
  })
})

describe('400', () => {
  test('the new password is the current one, and the code is not used up', async () => {
    const { setPassword, issueCode } = await anAccessService()
    await setPassword({ password, newPassword })
    const refusal = malformed('newPassword must not be the current password')
    const verifyCode = await issueCode()

    expect(await setPassword({ password: newPassword, newPassword })).toEqual(refusal)
    expect(await setPassword({ verifyCode, newPassword })).toEqual(refusal)
    expect(await setPassword({ verifyCode, newPassword: `${newPassword}!` })).toEqual(done)
  })
})

describe('401', () => {
  test.for([
    ['a wrong password', { password: 'wrong' }],
    ['a code that nobody was given', { verifyCode: '123456' }],
    ['an unknown user', { userName: 'nobody', password }],
    ['an unknown user with a code', { userName: 'nobody', verifyCode: '123456' }],
  ] as const)('%s', async ([, body]) => {
    const { setPassword } = await anAccessService()

    expect(await setPassword({ newPassword, ...body })).toEqual(unauthorized)
  })

  test('the password has expired, or the consumer is disabled', async () => {
    const { setPassword, issueCode, change } = await anAccessService()
    const verifyCode = await issueCode()

    await change({ password_expires_on: '2020-01-01' })
    expect(await setPassword({ password, newPassword })).toEqual(unauthorized)
    await change({ disabled_at: new Date() })
    expect(await setPassword({ verifyCode, newPassword })).toEqual(unauthorized)
  })

  test('wrong passwords and codes count towards the lock, which also refuses right ones', async () => {
    const { setPassword, issueCode, db } = await anAccessService()
    const verifyCode = await issueCode()
    for (const wrong of [{ password: 'wrong' }, { verifyCode: other(verifyCode) }]) {
      expect(await setPassword({ ...wrong, newPassword })).toEqual(unauthorized)
    }

    await db.updateTable('sign_in_failure').set({ failures: 12 }).execute()

    // the lock holds for 128 seconds
    const locked = { ...unauthorized, retryAfter: expect.stringMatching(/^1[0-2]\d$/) }
    expect(await setPassword({ password, newPassword })).toEqual(locked)
    expect(await setPassword({ verifyCode, newPassword })).toEqual(locked)
    const failures = await db.selectFrom('sign_in_failure').select('failures').execute()
    expect(failures).toEqual([{ failures: 12 }, { failures: 12 }, { failures: 12 }])
  })

  test('a code is used twice, even at the same time', async () => {
    const { setPassword, issueCode } = await anAccessService()
    const verifyCode = await issueCode()

    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((word) =>
        setPassword({ verifyCode, newPassword: `${newPassword}${word}` }),
      ),
    )
    const again = await setPassword({ verifyCode, newPassword })

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect(again).toEqual(unauthorized)
  })

  test('a code is older than an hour', async () => {
    const { setPassword, issueCode, pool } = await anAccessService()
    const verifyCode = await issueCode()
    await pool.query(`update recovery_code set expires_at = expires_at - interval '3600 seconds'`)

    expect(await setPassword({ verifyCode, newPassword })).toEqual(unauthorized)
  })

  test('the code belongs to another user', async () => {
    const { setPassword, issueCode, seed } = await anAccessService()
    const verifyCode = await issueCode(await seed('other'))

    expect(await setPassword({ verifyCode, newPassword })).toEqual(unauthorized)
  })

  test('five wrong attempts came before the right code', async () => {
    const { setPassword, issueCode, db } = await anAccessService()
    const verifyCode = await issueCode()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await setPassword({ verifyCode: other(verifyCode), newPassword })
      await db.deleteFrom('sign_in_failure').execute()
    }

    expect(await setPassword({ verifyCode, newPassword })).toEqual(unauthorized)
  })

  test('two concurrent changes use the same password, and one succeeds', async () => {
    const { setPassword, signIn } = await anAccessService()
    const words = ['One', 'Two'].map((word) => `${newPassword}${word}`)

    const answers = await Promise.all(
      words.map((word) => setPassword({ password, newPassword: word })),
    )

    const winner = answers.findIndex(({ status }) => status === 200)
    expect(answers[1 - winner]).toEqual(unauthorized)
    expect((await signIn(userName, words[winner])).status).toBe(200)
  })
})

describe('500', () => {
  test('a change that cannot be audited is not made', async () => {
    const { setPassword, issueCode, signIn, pool, lines } = await anAccessService()
    const verifyCode = await issueCode()
    await pool.query(
      `create function refuse_event() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse_event before insert on audit_event for each row execute function refuse_event()`,
    )

    expect(await setPassword({ password, newPassword })).toEqual(fault)
    expect(await setPassword({ verifyCode, newPassword })).toEqual(fault)
    expect((await signIn()).status).toBe(200)

    await pool.query('drop trigger refuse_event on audit_event')
    expect(await setPassword({ verifyCode, newPassword })).toEqual(done)
    for (const secret of [password, newPassword, verifyCode]) {
      expect(lines.join('')).not.toContain(secret)
    }
  })
})
