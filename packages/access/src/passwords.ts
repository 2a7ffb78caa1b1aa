import { hash, verify } from '@node-rs/argon2'

/** argon2id with the minimum memory and time of OWASP's password storage guide. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** Hashes a password for storage. It may contain any characters. Takes about 20 ms on a thread of the pool. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters)
}

/** Returns whether the password is right. Takes the same time for a right and a wrong password. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password)
}
