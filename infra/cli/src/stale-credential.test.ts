import { expect, test } from 'vitest'
import { type CredentialOrigin, explainStale, type RefusedSecret } from './stale-credential.ts'

const path = '/data/credentials.json'

test.each<[RefusedSecret, CredentialOrigin, said: string[]]>([
  ['password', { kind: 'environment' }, ['DESPATCH_PASSWORD', 'reset-password acme']],
  ['API key', { kind: 'environment' }, ['DESPATCH_API_KEY', 'rotate-key acme']],
  ['password', { kind: 'file', path, role: 'consumer' }, [path, 'reset-password acme']],
  ['API key', { kind: 'file', path, role: 'consumer' }, [path, 'rotate-key acme']],
  ['API key', { kind: 'file', path, role: 'operator' }, [path, 'another admin', 'npm start']],
])(
  'a stale %s of %j is said to be so, with where it is and what mends it',
  (secret, origin, said) => {
    const text = explainStale(secret, 'acme', origin)

    expect(text).toContain(`The ${secret} `)
    for (const part of said) expect(text).toContain(part)
  },
)
