import { vi } from 'vitest'

/** The least that argon2 takes: 0.1 ms instead of 20 ms. A hash names its parameters, so that it can be verified. */
const cheap = { memoryCost: 64, timeCost: 1 }

// Suites hash some thousand passwords, of which none is a secret. What a hash costs is tested with `passwords.ts`.
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const argon2 = await importOriginal<typeof import('@node-rs/argon2')>()
  const hash: typeof argon2.hash = (password, options) =>
    argon2.hash(password, { ...options, ...cheap })
  return { ...argon2, hash }
})
