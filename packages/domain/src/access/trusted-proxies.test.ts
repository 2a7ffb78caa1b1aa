import { expect, test } from 'vitest'
import { findProxyFault } from './trusted-proxies.ts'

test.for([
  [0, 0, '127.0.0.1', 9, undefined],
  [0, 1, '127.0.0.1', 1, 'too-few'],
  [0, 1, '::ffff:10.1.2.3', 1, 'too-few'],
  [0, 1, 'fd00::1', 1, 'too-few'],
  [0, 1, '203.0.113.1', 9, undefined],
  [0, 1, '8.8.8.8', 9, undefined],
  [0, 1, 'not an address', 9, undefined],
  [1, 0, '10.1.2.3', 9, undefined],
  [1, 1, '10.1.2.3', 9, undefined],
  [1, 2, '10.1.2.3', 2, undefined],
  [1, 2, '10.1.2.3', 3, 'too-few'],
  [1, 2, '8.8.8.8', 9, undefined],
  [2, 1, '8.8.8.8', 1, 'too-many'],
  [2, 2, '8.8.8.8', 9, undefined],
] as const)(
  'with %i trusted proxies, %i addresses in X-Forwarded-For, source %s and %i consumers the fault is %s',
  ([trustedProxies, forwarded, source, consumers, fault]) => {
    expect(findProxyFault({ trustedProxies, forwarded, source, consumers })).toBe(fault)
  },
)
