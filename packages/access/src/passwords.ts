import { sourceOf } from '@despatch/domain/access/source-address'
import { hash, verify } from '@node-rs/argon2'
import { createPasswordTurns } from './password-turns.ts'

/** argon2id with the minimum memory and time of OWASP's password storage guide. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** Each hash takes 19 MiB and a thread of the pool, which reading files and resolving host names need too. */
const atOnceMax = 2
/** This many hashes take about a second, which is how long the last one waits. */
const waitingMax = 100
const turns = createPasswordTurns({ atOnceMax, waitingMax })

/** The source of hashes that Despatch or an operator asks for. */
const itself = 'despatch'

/**
 * Hashes a password for storage. It may contain any characters. Takes about 20 ms on a thread of the pool, in turns that
 * are fair by the address of the caller. Throws a Problem 'unavailable' if 100 others of this process wait already, most
 * of them for the same address.
 */
export function hashPassword(password: string, address?: string): Promise<string> {
  return turns.inTurn(turnOf(address), () => hash(password, parameters))
}

/**
 * Returns whether the password is right. Takes the same time for a right and a wrong password. Waits and throws as
 * `hashPassword`.
 */
export function verifyPassword(
  passwordHash: string,
  password: string,
  address?: string,
): Promise<boolean> {
  return turns.inTurn(turnOf(address), () => verify(passwordHash, password))
}

function turnOf(address: string | undefined): string {
  return address === undefined ? itself : sourceOf(address)
}
