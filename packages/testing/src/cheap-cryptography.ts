// A setup file of the component tests. It is loaded before the modules that hash and that make keys.
import { createRequire } from 'node:module'

/** The least that argon2 takes: 0.1 ms instead of 20 ms. A hash names its parameters, so that it can be verified. */
const cheap = { memoryCost: 64, timeCost: 1 }

/** More than a test has in use at once. */
const signingKeys = 5

type Cheap = { isCheap?: boolean }

makeHashesCheap()
makeKeysCheap()

/** Suites hash some thousand passwords, of which none is a secret. What a hash costs is tested with `passwords.ts`. */
function makeHashesCheap(): void {
  const argon2: typeof import('@node-rs/argon2') & Cheap = createRequire(import.meta.url)(
    '@node-rs/argon2',
  )
  if (argon2.isCheap) return
  const { hash } = argon2
  Object.assign(argon2, {
    isCheap: true,
    hash: (...[password, options, signal]: Parameters<typeof hash>) =>
      hash(password, { ...options, ...cheap }, signal),
  })
}

/** To make an RSA key takes 0.2 s of processor time: a worker makes five, and its suites use them in turn. */
function makeKeysCheap(): void {
  const subtle: SubtleCrypto & Cheap = crypto.subtle
  if (subtle.isCheap) return
  const generateKey = subtle.generateKey.bind(subtle) as (...given: unknown[]) => Promise<unknown>
  const made = new Map<string, Promise<unknown>>()
  let calls = 0
  Object.assign(subtle, {
    isCheap: true,
    generateKey: (...given: unknown[]) => {
      const place = `${calls++ % signingKeys} ${JSON.stringify(given)}`
      if (!made.has(place)) made.set(place, generateKey(...given))
      return made.get(place)
    },
  })
}
