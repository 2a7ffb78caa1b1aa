import { type Check, type Finding, skipped } from './finding.ts'

const subject = 'secret key'
const shape = /^[0-9a-f]{64}$/i
/** 32 random bytes almost never have fewer different values than this. */
const differentBytesMin = 16

/** Checks the key that encrypts secrets in the database. */
export const checkSecretKey: Check = async ({ environment }) => {
  const { DESPATCH_SECRET_KEY: key, DESPATCH_SECRET_KEY_PREVIOUS: previous } = environment
  return key ? [judgeSecretKey(key, previous)] : [skipped(subject, 'DESPATCH_SECRET_KEY')]
}

/** Judges the form of the key. Never prints any part of it. */
export function judgeSecretKey(key: string, previous = ''): Finding {
  const mend = 'create one with openssl rand -hex 32; docs/secrets.md says how to change it'
  if (!shape.test(key)) {
    const found = 'DESPATCH_SECRET_KEY is not 64 hexadecimal characters'
    return { subject, state: 'bad', found, mend }
  }
  const before = previous
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  if (!before.every((one) => shape.test(one))) {
    const found = 'DESPATCH_SECRET_KEY_PREVIOUS has a key that is not 64 hexadecimal characters'
    return { subject, state: 'bad', found, mend: 'correct it, or remove it' }
  }
  if (new Set(key.toLowerCase().match(/../g)).size < differentBytesMin) {
    const found = 'DESPATCH_SECRET_KEY has repetitions: it is not random'
    return { subject, state: 'bad', found, mend }
  }
  return { subject, state: 'good', found: 'it has the shape of a random key' }
}
