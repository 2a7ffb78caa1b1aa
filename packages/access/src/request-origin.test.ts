import { expect, test } from 'vitest'
import { requestOrigin } from './request-origin.ts'

const host = 'ops.example:8081'
const own = 'http://ops.example:8081'

test.for<[headers: Record<string, string>, origin: string]>([
  [{ host, origin: own }, 'same'],
  [{ host: 'OPS.example:8081', origin: own }, 'same'],
  [{ host: 'ops.example', origin: 'https://ops.example' }, 'same'],
  [{ host: '127.0.0.1:3000', 'x-forwarded-host': host, origin: own }, 'same'],
  [{ host: '127.0.0.1:3000', 'x-forwarded-host': `${host}, inner`, origin: own }, 'same'],
  [{ host: 'inner:3000', origin: 'https://ops.example', 'sec-fetch-site': 'same-origin' }, 'same'],
  [{ host, origin: 'http://ops.example' }, 'other'],
  [{ host, origin: 'http://evil.example' }, 'other'],
  [{ host, origin: 'http://ops.example:8081.evil.example' }, 'other'],
  [{ host, origin: 'null' }, 'other'],
  [{ host, origin: '' }, 'other'],
  [{ host, origin: own, 'sec-fetch-site': 'cross-site' }, 'other'],
  [{ host, origin: own, 'sec-fetch-site': 'same-site' }, 'other'],
  [{ host, origin: own, 'sec-fetch-site': 'none' }, 'other'],
  [{ origin: own }, 'other'],
  [{ host }, 'unknown'],
])('%j: %s', ([headers, origin]) => {
  expect(requestOrigin(headers)).toBe(origin)
})
