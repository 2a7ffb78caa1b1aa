import { type FileHandle, open, rm } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import type { SourceRow } from './source-row.ts'

export type RejectFile = {
  add(rejects: readonly RejectedRow[], columns: readonly string[]): Promise<void>
  close(): Promise<void>
}

export type RejectedRow = { place: number; reasons: readonly string[]; row: SourceRow }

/**
 * A CSV file of the rows that were not taken, with the reasons, which only its owner can read. It takes the place of one
 * that is there, and is not made unless a row is rejected.
 */
export async function createRejectFile(path: string): Promise<RejectFile> {
  await rm(path, { force: true })
  let file: FileHandle | undefined
  return {
    async add(rejects, columns) {
      if (rejects.length === 0) return
      if (!file) {
        file = await open(path, 'wx', 0o600)
        await file.write(stringify([['row', 'reasons', ...columns]]))
      }
      await file.write(stringify(rejects.map(cellsOf)))
    },
    async close() {
      await file?.close()
    },
  }
}

function cellsOf({ place, reasons, row }: RejectedRow): string[] {
  const { fault, original } = row
  return [String(place), fault ?? reasons.join('; '), ...original.map(String)]
}
