import { expect, test } from 'vitest'
import { bulkActionDigest } from './plan-bulk-action.ts'

const [one, other] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
]

test('the digest depends on the action and the keys, but not on the order of the keys', () => {
  const digest = bulkActionDigest('hold', [one, other])

  expect(digest).toBe('8933a52e70f58996ed0285bc0e2117467f501fcb78e62e8ca9703747f70a07c7')
  expect(bulkActionDigest('hold', [other, one])).toBe(digest)
  expect(bulkActionDigest('cancel', [one, other])).not.toBe(digest)
  expect(bulkActionDigest('hold', [one])).not.toBe(digest)
})
