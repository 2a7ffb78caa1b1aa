import type { ListedObject, ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { fileDropRoot, folderOf, parsePersonalKey } from './layout.ts'

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
 * of print runs that have ended, whoever ended them and even if their provider has no folder any more. The walk begins
 * again at its end.
 */
export function createEndedRunWalk(options: EndedRunWalkOptions): () => Promise<void> {
  const { db, objects, keysMax = usualKeysMax } = options
  let after: string | undefined
  return async () => {
    const page = await objects.listWithTimes(fileDropRoot, { keysMax, ...(after && { after }) })
    const laidOut = await listLaidOut(db, page)
    const ended = await listEnded(db, laidOut)
    if (ended.length > 0) {
      const [refused] = await objects.removeTogether(ended)
      if (refused) throw new Error(`The object store refused to delete a file: ${refused.code}`)
    }
    after = page.length < keysMax ? undefined : page.at(-1)?.key
  }
}

async function listLaidOut(db: Db, page: readonly ListedObject[]): Promise<LaidOut[]> {
  const providers = await db.selectFrom('provider').select('id').execute()
  const providerIds = new Map(providers.map(({ id }) => [folderOf(id), id]))
  return page.flatMap(({ key, changedAt }): LaidOut[] => {
    const { folder = '', batchNumber = '' } = parsePersonalKey(key) ?? {}
    const providerId = providerIds.get(folder)
    return providerId === undefined ? [] : [{ key, providerId, batchNumber, changedAt }]
  })
}

/**
 * Returns the keys of those runs that are closed or moved, or of which nothing is left to print. A run that the database
 * does not know is one from after the time to which it was restored. The bucket may have older files of another database.
 */
async function listEnded(db: Db, laidOut: readonly LaidOut[]): Promise<string[]> {
  if (laidOut.length === 0) return []
  const { rows } = await sql<{ key: string }>`
    select file.key
    from json_to_recordset(${JSON.stringify(laidOut)}::json) as file (
      key text, "providerId" text, "batchNumber" text, "changedAt" timestamptz)
    left join print_run run on run.batch_number = file."batchNumber" and run.provider_id = file."providerId"
    where case
      when run.batch_number is null then file."changedAt" < now() - interval '1 day'
        and file."changedAt" > (select min(applied_at) from migration)
      when run.state in ('CLAIMED', 'REFUSED') then not exists (
        select from print_run_document document
        where document.batch_number = run.batch_number and document.removed_at is null
          and document.voided_at is null and document.outcome is null)
      else run.state in ('CLOSED', 'VOIDED') end`.execute(db)
  return rows.map(({ key }) => key)
}
