import { expect, test } from 'vitest'
import { digestOf, mailingKey, parseRowId, rowId } from './row-id.ts'

const key = mailingKey('0'.repeat(64), undefined)
const letter = { standardParams: { recipientName: 'A Person' } }

test('an id stays the same in each release, so that a file of an earlier one is not sent twice', () => {
  expect(rowId(key, 2, digestOf(letter, key))).toBe('csv-532a678d1295-2-3267def2c24a')
})

test('another file, mailing, row or content has another id', () => {
  const idOf = (sha256: string, mailing: string | undefined, row: number, content: object) => {
    const key = mailingKey(sha256, mailing)
    return rowId(key, row, digestOf(content, key))
  }
  const ids = [
    idOf('a', undefined, 2, letter),
    idOf('b', undefined, 2, letter),
    idOf('a', 'december', 2, letter),
    idOf('a', undefined, 3, letter),
    idOf('a', undefined, 2, {}),
  ]

  expect(new Set(ids).size).toBe(ids.length)
})

test('an id says its row and the digest, and another id is none of a row', () => {
  const digest = digestOf(letter, key)

  expect(parseRowId(rowId(key, 12, digest))).toEqual({ row: 12, digest })
  expect(parseRowId('csv-1')).toBeUndefined()
})
