import { Problem } from '@despatch/domain/problem'
import { hash, verify } from '@node-rs/argon2'

/** argon2id with the minimum memory and time of OWASP's password storage guide. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** Each hash takes 19 MiB and a thread of the pool, which reading files and resolving host names need too. */
const atOnceMax = 2
/** This many hashes take about a second, which is how long the last one waits. */
const waitingMax = 100

let atOnce = 0
const waiting: (() => void)[] = []

/**
 * Hashes a password for storage. It may contain any characters. Takes about 20 ms on a thread of the pool. Throws a
 * Problem 'unavailable' if 100 others of this process wait already.
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, parameters))
}

/**
 * Returns whether the password is right. Takes the same time for a right and a wrong password. Throws a Problem
 * 'unavailable' if 100 others of this process wait already.
 */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return inTurn(() => verify(passwordHash, password))
}

async function inTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
  if (atOnce < atOnceMax) atOnce += 1
  else if (waiting.length < waitingMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw new Problem('unavailable', 'Too many callers are signing in. Retry the request.')
  try {
    return await compute()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else atOnce -= 1
  }
}
