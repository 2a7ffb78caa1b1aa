import type { Role } from '@despatch/domain/access/caller'
import { errors, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts'

export const tokenIssuer = 'despatch'
/** Consumers renew 60 s before the end and take one hour for granted. */
export const tokenLifeSeconds = 60 * 60
const verifiedTokensMax = 10_000
const tokenCharactersMax = 4_096

export type TokenHolder = { consumerId: string; roles: readonly Role[] }

/** Issues a JWT for a consumer who has shown a user name and password. */
export async function issueToken(
  keys: SigningKeys,
  { consumerId, roles }: TokenHolder,
  now: Date,
): Promise<string> {
  const { kid, privateKey } = await keys.active()
  const issuedAtSeconds = Math.floor(now.getTime() / 1000)
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'JWT' })
    .setIssuer(tokenIssuer)
    .setSubject(consumerId)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + tokenLifeSeconds)
    .sign(privateKey)
}

export type TokenVerifier = (token: string) => Promise<string | undefined>

type Verified = { consumerId: string; expiresAtMs: number }

/**
 * Makes a function that gives the consumer id of a token that we signed and that has not expired, or undefined.
 * A signature is checked once; the answer is kept until the token expires.
 */
export function createTokenVerifier(keys: SigningKeys, now: () => Date): TokenVerifier {
  const verified = new LRUCache<string, Verified>({ max: verifiedTokensMax })

  return async (token) => {
    const at = now()
    const known = verified.get(token)
    if (known && known.expiresAtMs > at.getTime()) return known.consumerId
    const fresh = await verifyToken(keys, token, at)
    if (!fresh) {
      verified.delete(token)
      return undefined
    }
    verified.set(token, fresh)
    return fresh.consumerId
  }
}

async function verifyToken(
  keys: SigningKeys,
  token: string,
  currentDate: Date,
): Promise<Verified | undefined> {
  if (token.length > tokenCharactersMax) return undefined
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => findKey(keys, kid), {
      algorithms: [signingAlgorithm],
      issuer: tokenIssuer,
      requiredClaims: ['sub', 'exp'],
      currentDate,
    })
    return { consumerId: payload.sub as string, expiresAtMs: (payload.exp as number) * 1000 }
  } catch (error) {
    // a token that is wrong in any way is no token; a database that does not answer is a fault
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

async function findKey(keys: SigningKeys, kid: string | undefined) {
  const key = kid === undefined ? undefined : await keys.find(kid)
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}
