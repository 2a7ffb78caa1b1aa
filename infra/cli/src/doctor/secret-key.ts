import { serviceKeys } from '@despatch/config/service-keys'
import { type Check, type Finding, skipped } from './finding.ts'

const root = 'DESPATCH_SECRET_KEY'
const names = [root, ...Object.keys(serviceKeys)]
const shape = /^[0-9a-f]{64}$/i
/** 32 random bytes almost never have fewer different values than this. */
const differentBytesMin = 16

/** Checks the keys that encrypt and hash secrets in the database. */
export const checkSecretKeys: Check = async ({ environment }) => {
  const findings = names.flatMap((name) => {
    const key = environment[name]
    return key ? [judgeSecretKey(key, { name, previous: environment[`${name}_PREVIOUS`] })] : []
  })
  return findings.length > 0 ? findings : [skipped('secret key', root)]
}

/** Judges the form of the key. Never prints any part of it. */
export function judgeSecretKey(
  key: string,
  { name, previous = '' }: { name: string; previous?: string | undefined },
): Finding {
  const subject = name === root ? 'secret key' : name
  const source = name === root ? 'openssl rand -hex 32' : 'npx despatch keys derive'
  const mend = `create one with ${source}; docs/secrets.md says how to change it`
  if (!shape.test(key)) {
    return { subject, state: 'bad', found: `${name} is not 64 hexadecimal characters`, mend }
  }
  const before = previous
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  if (!before.every((one) => shape.test(one))) {
    const found = `${name}_PREVIOUS has a key that is not 64 hexadecimal characters`
    return { subject, state: 'bad', found, mend: 'correct it, or remove it' }
  }
  if (new Set(key.toLowerCase().match(/../g)).size < differentBytesMin) {
    return { subject, state: 'bad', found: `${name} has repetitions: it is not random`, mend }
  }
  return { subject, state: 'good', found: 'it has the shape of a random key' }
}
