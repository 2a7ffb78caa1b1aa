import { createHash, createHmac } from 'node:crypto'
import type { PlacedLetter } from './plan-rows.ts'

const digestCharacters = 12

/** Returns the secret of a mailing. The same file under the same name has the same, so that it is not sent twice. */
export function mailingKey(fileSha256: string, mailing: string | undefined): string {
  return createHash('sha256')
    .update(`${fileSha256} ${mailing ?? ''}`)
    .digest('hex')
}

/** Returns a digest of a letter. An id is not secret, so without the key nobody can try out names and addresses. */
export function digestOf(letter: object, key: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(letter))
    .digest('hex')
    .slice(0, digestCharacters)
}

/** Returns the id of a row's print job: the same whenever the row is submitted, and another for other content. */
export function rowId(key: string, row: number, digest: string): string {
  const mailing = createHash('sha256').update(key).digest('hex').slice(0, digestCharacters)
  return `csv-${mailing}-${row}-${digest}`
}

/** Returns the row and the digest of an id; undefined if it is none of a row. */
export function parseRowId(id: string): PlacedLetter | undefined {
  const [, row, digest] = /^csv-[0-9a-f]{12}-(\d{1,9})-([0-9a-f]{12})$/.exec(id) ?? []
  return row === undefined || digest === undefined ? undefined : { row: Number(row), digest }
}
