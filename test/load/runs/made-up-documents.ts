import { hash } from 'node:crypto'
import type { SeededDocument } from './seed-print-jobs.ts'

const sheetsMax = 4
const sheetBytes = 25_000

/**
 * Returns letters of one to four duplex sheets, small enough for all to fit into one run. Their files are never
 * read. Documents of another name have other hashes.
 */
export function makeUpDocuments(count: number, name = 'letter'): SeededDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const sheets = 1 + (index % sheetsMax)
    return {
      sha256: hash('sha256', `${name} ${index}`),
      bytes: sheets * sheetBytes + (index % 1_000),
      pages: sheets * 2,
      sheets,
    }
  })
}
