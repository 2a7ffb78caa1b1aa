import { expect, test } from 'vitest'
import { secretInUrl } from './secret-in-url.ts'

const platform = {
  credentials: { userName: 'factory-1', password: 'p & q', apiKey: 'the-key' },
  tokens: new Set(['token.now', 'token.before']),
}

test.each([
  ['/print-fulfilment/v1/print-runs?state=RELEASED', undefined],
  ['/print-fulfilment/v1/print-runs?key=the-key', 'API key'],
  ['/print-fulfilment/v1/print-runs?key=%74he-key', 'API key'],
  ['/login?password=p+%26+q', 'password'],
  ['/print-fulfilment/v1/print-runs?jwt=token.now', 'token'],
  ['/print-fulfilment/v1/print-runs?jwt=token.before', 'token'],
  ['/users/factory-1', 'user name'],
  ['/print-fulfilment/v1/%', undefined],
])('%s has %s in it', (url, secret) => expect(secretInUrl(url, platform)).toBe(secret))
