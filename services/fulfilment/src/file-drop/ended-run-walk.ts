import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { fileDropRoot, parsePersonalKey } from './layout.ts'

export type EndedRunWalkOptions = {
  db: Db
  objects: Pick<ObjectStore, 'listWithTimes' | 'removeTogether'>
  keysMax?: number
}

/** A document or template data of a print run. */
type LaidOut = { key: string; providerId: string; batchNumber: string; changedAt: Date }

/** The limit of S3 for one request to delete. */
const usualKeysMax = 1_000

/**
 * Returns the pass that examines a page of the folders of all providers. It removes the documents and the template data
 * of print runs that have ended, no matter who ended them, and even if their provider now uses HTTP. The walk begins
 * again at its end.
 */
export function createEndedRunWalk(options: EndedRunWalkOptions): () => Promise<void> {
  const { db, objects, keysMax = usualKeysMax } = options
  let after: string | undefined
  return async () => {
    const page = await objects.listWithTimes(fileDropRoot, { keysMax, ...(after && { after }) })
    const laidOut = page.flatMap(({ key, changedAt }): LaidOut[] => {
      const run = parsePersonalKey(key)
      return run ? [{ ...run, key, changedAt }] : []
    })
    const ended = await listEnded(db, laidOut)
    if (ended.length > 0) {
      const [refused] = await objects.removeTogether(ended)
      if (refused) throw new Error(`The object store refused to delete a file: ${refused.code}`)
    }
    after = page.length < keysMax ? undefined : page.at(-1)?.key
  }
}

/**
 * Returns the keys of those runs that are closed or moved, or of which nothing is left to print. A run that the database
 * does not know is one from after the time to which it was restored. Files that are older than their provider belong to
 * another database.
 */
async function listEnded(db: Db, laidOut: readonly LaidOut[]): Promise<string[]> {
  if (laidOut.length === 0) return []
  const { rows } = await sql<{ key: string }>`
    select file.key
    from json_to_recordset(${JSON.stringify(laidOut)}::json) as file (
      key text, "providerId" text, "batchNumber" text, "changedAt" timestamptz)
    join provider on provider.id = file."providerId"
    left join print_run run on run.batch_number = file."batchNumber" and run.provider_id = provider.id
    where case
      when run.batch_number is null then file."changedAt" < now() - interval '1 day'
        and file."changedAt" > provider.created_at
      when run.state in ('CLAIMED', 'REFUSED') then not exists (
        select from print_run_document document
        where document.batch_number = run.batch_number and document.removed_at is null
          and document.voided_at is null and document.outcome is null)
      else run.state in ('CLOSED', 'VOIDED') end`.execute(db)
  return rows.map(({ key }) => key)
}
