import { hash } from 'node:crypto'
import type { Role } from '@despatch/domain/access/caller'
import { isSubjectAccount } from '@despatch/domain/access/subject-account'
import { isUserName } from '@despatch/domain/access/user-name'
import { Problem } from '@despatch/domain/problem'
import type { RoleGrant } from './settings.ts'

/** What the OpenID provider says of a person, by the name of the claim. */
export type Claims = Readonly<Record<string, unknown>>

/** Who a person is at an OpenID provider. It stays the same when the person's names change. */
export type Subject = { issuer: string; subject: string }

/** The account of a person: its id, its names, and its roles according to the provider. */
export type SubjectAccount = Subject & {
  id: string
  userName: string
  name: string
  roles: readonly Role[]
}

const nameCharactersMax = 255
const userNameCharactersMax = 48

/** Returns the account of the person that the claims describe. */
export function accountOf(
  { issuer, subject }: Subject,
  claims: Claims,
  roles: readonly Role[],
): SubjectAccount {
  const id = accountIdOf({ issuer, subject })
  const { name, preferred_username: preferred, email } = claims
  const [readable = 'oidc'] = [email, preferred].filter(isText).filter(isUserName)
  const [full] = [name, preferred, email].filter(isText).map(visible).filter(isText)
  return {
    issuer,
    subject,
    id,
    roles,
    // Any person may choose these names. The part of the id keeps a user name from looking like another account.
    userName: `${readable.slice(0, userNameCharactersMax)}#${id.slice(0, 8)}`,
    name: (full ?? subject).slice(0, nameCharactersMax),
  }
}

/** Returns the roles that the values of a claim grant, each once. Dots in the name of the claim lead into objects. */
export function rolesOf(
  claims: Claims,
  { rolesClaim, roleGrants }: { rolesClaim: string; roleGrants: readonly RoleGrant[] },
): Role[] {
  const values = [claimOf(claims, rolesClaim)].flat()
  const granted = roleGrants.filter(({ value }) => values.includes(value)).map(({ role }) => role)
  return [...new Set(granted)]
}

/** Returns the value of a claim. A claim whose name contains the dots goes before one within objects. */
export function claimOf(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Claims)[name]
          : undefined,
      claims,
    )
}

/**
 * Returns the id of a person's account, a UUID of version 8 made from issuer and subject, so that the same person always
 * has the same account.
 */
function accountIdOf({ issuer, subject }: Subject): string {
  const bytes = hash('sha256', JSON.stringify([issuer, subject]), 'buffer').subarray(0, 16)
  bytes[6] = 0x80 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  const hex = bytes.toString('hex')
  return [
    [0, 8] as const,
    [8, 12] as const,
    [12, 16] as const,
    [16, 20] as const,
    [20, 32] as const,
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-')
}

/** Throws a Problem 'not-permitted' if an OpenID provider authenticates the account. */
export function requireLocalAccount(accountId: string): void {
  if (!isSubjectAccount(accountId)) return
  throw new Problem(
    'not-permitted',
    'This account signs in by the OpenID provider and has no password or API key',
  )
}

/** The database refuses U+0000. The other characters that cannot be seen make a name look like another. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '').trim()
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
