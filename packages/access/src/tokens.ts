import type { Role } from '@despatch/domain/access/caller'
import { errors, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type SigningKey, signingAlgorithm } from './signing-key.ts'
import type { VerificationKeys } from './verification-keys.ts'

const tokenIssuer = 'despatch'
/** Consumers renew a token 60 s before it expires and expect it to last one hour. */
const tokenLifeSeconds = 60 * 60
/** How far the clocks of two processes may differ before one refuses a new token of the other. */
const clockSkewSeconds = 60
const verifiedTokensMax = 10_000
const tokenCharactersMax = 4_096
const consumerIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

type TokenHolder = {
  consumerId: string
  roles: readonly Role[]
  services?: readonly string[]
  /** The consumer's token generation. Without it, the token is of any generation. */
  generation?: number
}

/**
 * Issues a JWT for a consumer that has signed in with user name and password. Its roles and services are for the
 * holder's information: permissions are read from the database with each request.
 */
export function issueToken(
  { kid, privateKey }: SigningKey,
  { consumerId, roles, services = [], generation }: TokenHolder,
  now: Date,
): Promise<string> {
  const issuedAtSeconds = Math.floor(now.getTime() / 1000)
  return new SignJWT({ roles: [...roles], services: [...services], gen: generation })
    .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'JWT' })
    .setIssuer(tokenIssuer)
    .setSubject(consumerId)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + tokenLifeSeconds)
    .sign(privateKey)
}

type TokenVerifier = {
  /** Returns whose token it is, if we signed it and it has not expired, otherwise undefined. */
  verify(token: string): Promise<VerifiedToken | undefined>
  /** Does the same for a token that was verified before. Returns undefined for any other token, valid or not. */
  recall(token: string): VerifiedToken | undefined
}

/** `generation` is undefined in a token of a release that did not write it. */
export type VerifiedToken = { consumerId: string; generation: number | undefined }

type Verified = VerifiedToken & { expiresAtMs: number }
type Remembered = Verified & { token: string }

/** The end of a token's signature identifies it as well as the whole token, at a tenth of the look-up cost. */
const tailCharacters = 48

/** Verifies the signature of a token once and caches the result until the token expires. */
export function createTokenVerifier(keys: VerificationKeys, now: () => Date): TokenVerifier {
  const verified = new LRUCache<string, Remembered>({ max: verifiedTokensMax })
  const find = (token: string): Remembered | undefined => {
    const found = verified.get(token.slice(-tailCharacters))
    return found?.token === token ? found : undefined
  }

  return {
    recall(token) {
      const known = find(token)
      return known && known.expiresAtMs > now().getTime() ? known : undefined
    },

    async verify(token) {
      const at = now()
      const known = find(token)
      if (known) {
        if (known.expiresAtMs > at.getTime()) return known
        verified.delete(token.slice(-tailCharacters))
        return undefined
      }
      const fresh = await verifyToken(keys, token, at)
      if (fresh) verified.set(token.slice(-tailCharacters), { ...fresh, token })
      return fresh
    },
  }
}

type Claims = { sub: string; iat: number; exp: number; gen?: number }

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
    const { sub, iat, exp, gen } = payload as Claims
    const nowMs = currentDate.getTime()
    // A token lives exactly one hour. The clock tolerance applies only to its start.
    if (!consumerIdPattern.test(sub)) return undefined
    if (exp * 1000 <= nowMs || (iat - clockSkewSeconds) * 1000 > nowMs) return undefined
    return { consumerId: sub, generation: gen, expiresAtMs: exp * 1000 }
  } catch (error) {
    // Anything wrong with a token makes it invalid; a database that does not answer is a fault.
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

async function getKey(keys: VerificationKeys, kid: string | undefined) {
  const key = kid === undefined ? undefined : await keys.find(kid)
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}
