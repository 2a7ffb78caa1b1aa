import { createHmac, createPublicKey } from 'node:crypto'
import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { rotateSigningKey } from '@despatch/access/rotate-signing-key'
import { makeSigningKey, openSigningKey, signingKeyBox } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { listPublicKeys } from '@despatch/access/verification-keys'
import { findActiveSigningKey, replaceSigningKey } from '@despatch/store/access/signing-keys'
import { expect, onTestFinished, test } from 'vitest'
import { apiKey, secretKeyHex, startAccess } from './an-access-service.ts'

const box = signingKeyBox(secretKeyHex)
const nowSeconds = Math.floor(Date.now() / 1000)
const now = () => new Date(nowSeconds * 1000)

async function anAccessService() {
  const access = await startAccess()
  onTestFinished(() => access.stop())
  const { db, consumerId } = access
  const { kid, privateKey } = await (await openSigningKey({ db, secretKeyHex }))()
  const right = { iss: 'despatch', sub: consumerId, iat: nowSeconds, exp: nowSeconds + 3_600 }
  const sign = async (claims: object, header: object = {}) => {
    const text = `${encode({ alg: 'RS256', kid, ...header })}.${encode({ ...right, ...claims })}`
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(text))
    return `${text}.${Buffer.from(signature).toString('base64url')}`
  }
  const authenticate = createAuthenticator({ db, now })
  const isTaken = (authorization: string) =>
    Promise.resolve(authenticate({ authorization, 'x-api-key': apiKey })).then(
      () => true,
      (error) => {
        if (error.kind !== 'not-authenticated') throw error
        return false
      },
    )
  return { ...access, kid, right, sign, isTaken }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

test('accepts its own tokens for an hour, and those of an issuer whose clock is up to 60 s ahead', async () => {
  const { sign, isTaken } = await anAccessService()
  const cases = {
    asIssued: {},
    lastSecond: { iat: nowSeconds - 3_599, exp: nowSeconds + 1 },
    issuerAhead: { iat: nowSeconds + 60, exp: nowSeconds + 3_660 },
    beginsSoon: { nbf: nowSeconds + 60 },
  }
  for (const [name, claims] of Object.entries(cases)) {
    expect(await isTaken(await sign(claims)), name).toBe(true)
  }
})

test('refuses a token with another signature or issuer, expired or not yet valid', async () => {
  const { sign, right, kid, db, isTaken } = await anAccessService()
  const [jwk] = await listPublicKeys(db)
  const publicKey = createPublicKey({ key: { ...jwk! }, format: 'jwk' })
  const secrets = [
    publicKey.export({ type: 'spki', format: 'pem' }),
    publicKey.export({ type: 'spki', format: 'der' }),
  ]
  const hmacs = secrets.map((secret) => {
    const text = `${encode({ alg: 'HS256', kid })}.${encode(right)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  })
  const [, , signature] = (await sign({})).split('.')

  const tokens: Record<string, string> = {
    'alg none': `${encode({ alg: 'none', kid })}.${encode(right)}.`,
    'alg None with a signature': `${encode({ alg: 'None', kid })}.${encode(right)}.${signature}`,
    'HS256 with the public key as PEM': hmacs[0]!,
    'HS256 with the public key as DER': hmacs[1]!,
    'a header that says PS256': await sign({}, { alg: 'PS256' }),
    'no key id': await sign({}, { kid: undefined }),
    'an unknown key id': await sign({}, { kid: 'nobody' }),
    'a key id that is a path': await sign({}, { kid: '../../etc/passwd' }),
    'a critical extension': await sign({}, { crit: ['x'], x: 1 }),
    'a key of its own': await sign({}, { kid: undefined, jwk }),
    'another issuer': await sign({ iss: 'somebody' }),
    'no issuer': await sign({ iss: undefined }),
    'no subject': await sign({ sub: undefined }),
    'no end': await sign({ exp: undefined }),
    'no beginning': await sign({ iat: undefined }),
    'an end that is text': await sign({ exp: '9999999999' }),
    'expired this second': await sign({ iat: nowSeconds - 3_600, exp: nowSeconds }),
    'not yet valid': await sign({ nbf: nowSeconds + 61 }),
    'issued in the future': await sign({ iat: nowSeconds + 61, exp: nowSeconds + 3_661 }),
    'a subject that is not an id': await sign({ sub: "x' or '1'='1" }),
  }
  const taken: string[] = []
  for (const [name, token] of Object.entries(tokens)) {
    if (await isTaken(token)) taken.push(name)
  }
  expect(taken).toEqual([])
})

test('a consumer can use only the services that it has', async () => {
  const { db, sign, change, consumerId } = await anAccessService()
  const headers = { authorization: await sign({ services: ['driver-find'] }), 'x-api-key': apiKey }
  await change({ services: ['print-request', 'vehicle-enquiry'] })

  const use = (service: string) => createAuthenticator({ db, role: 'consumer', service })(headers)

  expect(await use('vehicle-enquiry')).toMatchObject({ consumerId })
  await expect(use('driver-find')).rejects.toMatchObject({
    kind: 'not-permitted',
    message: 'The credentials are not for the service driver-find',
  })
})

test('concurrent rotations leave one signing key, and existing tokens stay valid', async () => {
  const { db, sign, isTaken, consumerId } = await anAccessService()
  const token = await sign({})
  expect(await isTaken(token)).toBe(true)

  const rotations = await Promise.all(
    Array.from({ length: 4 }, () => rotateSigningKey(db, box, { actor: 'operator:1' })),
  )

  const made = rotations.filter(({ isNew }) => isNew).map(({ kid }) => kid)
  const active = await db
    .selectFrom('signing_key')
    .select('kid')
    .where('retired_at', 'is', null)
    .execute()
  expect(active).toHaveLength(1)
  expect(made).toContain(active[0]!.kid)
  const events = await db
    .selectFrom('audit_event')
    .select(['actor', 'detail'])
    .where('action', '=', 'signing-key.rotated')
    .orderBy('id')
    .execute()
  expect(events.map(({ actor, detail }) => [actor, detail?.kid]).sort()).toEqual(
    made.map((kid) => ['operator:1', kid]).sort(),
  )

  const source = await openSigningKey({ db, secretKeyHex })
  const newToken = await issueToken(await source(), { consumerId, roles: ['consumer'] }, now())
  expect([await isTaken(token), await isTaken(newToken)]).toEqual([true, true])
  const elsewhere = createAuthenticator({ db, now })
  for (const authorization of [token, newToken]) {
    await elsewhere({ authorization, 'x-api-key': apiKey })
  }
})

test('only one of several concurrent replacements of the same key succeeds', async () => {
  const { db, kid } = await anAccessService()
  const keys = await Promise.all([1, 2, 3].map(() => makeSigningKey(box)))

  const outcomes = await Promise.all(
    keys.map((key) => db.transaction().execute((tx) => replaceSigningKey(tx, kid, key))),
  )

  expect(outcomes.filter(Boolean)).toHaveLength(1)
  expect((await findActiveSigningKey(db))?.kid).toBe(keys[outcomes.indexOf(true)]!.kid)
})

test('tokens of a new key are accepted even while a caller names unknown keys', async () => {
  const { db, sign, isTaken, consumerId } = await anAccessService()
  await isTaken(await sign({}))
  const nonsense = Array.from({ length: 20 }, async (_, index) =>
    isTaken(await sign({}, { kid: `nobody-${index}` })),
  )

  await rotateSigningKey(db, box, { actor: 'operator:1' })
  const source = await openSigningKey({ db, secretKeyHex })
  const holder = { consumerId, roles: ['consumer'] as const }
  const taken = await isTaken(await issueToken(await source(), holder, now()))

  expect(taken).toBe(true)
  expect(new Set(await Promise.all(nonsense))).toEqual(new Set([false]))
})

test('a key that was retired over two hours ago is forgotten', async () => {
  const { db, sign, pool } = await anAccessService()
  const headers = { authorization: await sign({}), 'x-api-key': apiKey }
  await rotateSigningKey(db, box, { actor: 'operator:1' })

  await createAuthenticator({ db, now })(headers)
  await pool.query(`update signing_key set retired_at = retired_at - interval '2 hours'`)

  await expect(createAuthenticator({ db, now })(headers)).rejects.toMatchObject({
    kind: 'not-authenticated',
  })
})
