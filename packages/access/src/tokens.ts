import type { Role } from '@despatch/domain/access/caller'
import { errors, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type SigningKey, signingAlgorithm } from './signing-key.ts'
import type { VerificationKeys } from './verification-keys.ts'

export const tokenIssuer = 'despatch'
/** Consumers renew 60 s before the end and take one hour for granted. */
export const tokenLifeSeconds = 60 * 60
/** How far the clocks of two processes may be apart before a token of the one is not yet valid for the other. */
const clockSkewSeconds = 60
const verifiedTokensMax = 10_000
const tokenCharactersMax = 4_096
const consumerIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export type TokenHolder = {
  consumerId: string
  roles: readonly Role[]
  services?: readonly string[]
}

/**
 * Issues a JWT for a consumer who has shown a user name and password. What it says of roles and services is for the
 * holder to read: who may do what is asked of the database with each request.
 */
export function issueToken(
  { kid, privateKey }: SigningKey,
  { consumerId, roles, services = [] }: TokenHolder,
  now: Date,
): Promise<string> {
  const issuedAtSeconds = Math.floor(now.getTime() / 1000)
  return new SignJWT({ roles: [...roles], services: [...services] })
    .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'JWT' })
    .setIssuer(tokenIssuer)
    .setSubject(consumerId)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + tokenLifeSeconds)
    .sign(privateKey)
}

export type TokenVerifier = {
  /** Gives the consumer id of a token that we signed and that has not expired, or undefined. */
  verify(token: string): Promise<string | undefined>
  /** The same for a token that has been verified before; undefined says nothing of the others. */
  recall(token: string): string | undefined
}

type Verified = { consumerId: string; expiresAtMs: number }
type Remembered = Verified & { token: string }

/** The end of a token's signature finds it as well as the whole, and costs a tenth to look up. */
const tailCharacters = 48

/** Checks the signature of a token once, and keeps the answer until the token expires. */
export function createTokenVerifier(keys: VerificationKeys, now: () => Date): TokenVerifier {
  const verified = new LRUCache<string, Remembered>({ max: verifiedTokensMax })
  const find = (token: string): Remembered | undefined => {
    const found = verified.get(token.slice(-tailCharacters))
    return found?.token === token ? found : undefined
  }

  return {
    recall(token) {
      const known = find(token)
      return known && known.expiresAtMs > now().getTime() ? known.consumerId : undefined
    },

    async verify(token) {
      const at = now()
      const known = find(token)
      if (known) {
        if (known.expiresAtMs > at.getTime()) return known.consumerId
        verified.delete(token.slice(-tailCharacters))
        return undefined
      }
      const fresh = await verifyToken(keys, token, at)
      if (fresh) verified.set(token.slice(-tailCharacters), { ...fresh, token })
      return fresh?.consumerId
    },
  }
}

async function verifyToken(
  keys: VerificationKeys,
  token: string,
  currentDate: Date,
): Promise<Verified | undefined> {
  if (token.length > tokenCharactersMax) return undefined
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => getKey(keys, kid), {
      algorithms: [signingAlgorithm],
      issuer: tokenIssuer,
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: clockSkewSeconds,
      currentDate,
    })
    const { sub, iat, exp } = payload as { sub: string; iat: number; exp: number }
    const nowMs = currentDate.getTime()
    // an hour is an hour: the tolerance is for the beginning of a token alone
    if (!consumerIdPattern.test(sub)) return undefined
    if (exp * 1000 <= nowMs || (iat - clockSkewSeconds) * 1000 > nowMs) return undefined
    return { consumerId: sub, expiresAtMs: exp * 1000 }
  } catch (error) {
    // a token that is wrong in any way is no token; a database that does not answer is a fault
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

async function getKey(keys: VerificationKeys, kid: string | undefined) {
  const key = kid === undefined ? undefined : await keys.find(kid)
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}
