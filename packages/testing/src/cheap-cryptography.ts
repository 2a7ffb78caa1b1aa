import type { GenerateKeyPairResult } from 'jose'
import { vi } from 'vitest'

/** The least that argon2 takes: 0.1 ms instead of 20 ms. A hash names its parameters, so that it can be verified. */
const cheap = { memoryCost: 64, timeCost: 1 }

/** More than a test has in use at once. */
const signingKeys = 5

// Suites hash some thousand passwords, of which none is a secret. What a hash costs is tested with `passwords.ts`.
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const argon2 = await importOriginal<typeof import('@node-rs/argon2')>()
  const hash: typeof argon2.hash = (password, options) =>
    argon2.hash(password, { ...options, ...cheap })
  return { ...argon2, hash }
})

// To make an RSA key takes 0.2 s of processor time: a worker makes five, and its suites use them in turn.
vi.mock('jose', async (importOriginal) => {
  const jose = await importOriginal<typeof import('jose')>()
  const made: Promise<GenerateKeyPairResult>[] = []
  let calls = 0
  const generateKeyPair: typeof jose.generateKeyPair = (algorithm, options) => {
    const place = calls++ % signingKeys
    made[place] ??= jose.generateKeyPair(algorithm, options)
    return made[place]
  }
  return { ...jose, generateKeyPair }
})
