import { type FileHandle, open, rm } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import type { SourceRow } from './chunks.ts'

export type RejectFile = {
  add(rejects: readonly RejectedRow[], columns: readonly string[]): Promise<void>
  close(): Promise<void>
}

type RejectedRow = { place: number; reasons: readonly string[]; row: SourceRow }

/**
 * Creates a CSV file of the rejected rows with their reasons, readable by its owner only. Deletes an existing file at
 * once; creates the new one with the first reject.
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
