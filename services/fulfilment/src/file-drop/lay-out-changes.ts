import type { RecallsResponse } from '@despatch/contracts/print-fulfilment/recall'
import type { ReprintsResponse } from '@despatch/contracts/print-fulfilment/reprint'
import { isInProduction, printRunStates } from '@despatch/domain/print-run/state'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { type FileDropCaller, type FileDropClient, getPages } from './file-drop-client.ts'
import { putJson } from './folder.ts'
import { fileDropKeys } from './layout.ts'
import type { FileDropObjects } from './take-files-in.ts'

type Effects = { db: Db; objects: FileDropObjects; client: FileDropClient }

const keysMax = 1_000_000

/**
 * Writes a file for each authorised reprint, in the shape of the HTTP response, no matter who authorised it and when.
 */
export async function layOutReprints(
  { db, objects, client }: Effects,
  caller: FileDropCaller,
): Promise<void> {
  const keys = fileDropKeys(caller.providerId)
  for (const batchNumber of await listRunsWithReprints(db, caller.providerId)) {
    const there = new Set(await objects.list(keys.reprints(batchNumber), { keysMax }))
    const path = `/print-runs/${batchNumber}/reprints?state=AUTHORISED&limit=1000`
    for await (const { reprints } of getPages<ReprintsResponse>(client, caller, path)) {
      for (const reprint of reprints) {
        const key = keys.reprint(batchNumber, reprint)
        if (there.has(key)) continue
        await putJson(objects, key, { batchNumber, reprints: [reprint] })
      }
    }
  }
}

/** Writes a file for each recall that the provider has not answered. */
export async function layOutRecalls(
  { objects, client }: Effects,
  caller: FileDropCaller,
): Promise<void> {
  const keys = fileDropKeys(caller.providerId)
  const path = '/recall-requests?state=OPEN&limit=1000'
  let there: Set<string> | undefined
  for await (const { recallRequests } of getPages<RecallsResponse>(client, caller, path)) {
    for (const recall of recallRequests) {
      there ??= new Set(await objects.list(keys.recalls, { keysMax }))
      const key = keys.recall(recall.recallId)
      if (!there.has(key)) await putJson(objects, key, recall)
    }
  }
}

const working = printRunStates.filter(isInProduction)

/** Lists print runs in production that have authorised reprints. */
async function listRunsWithReprints(db: Db, providerId: string): Promise<string[]> {
  const { rows } = await sql<{ batch_number: string }>`
    select batch_number from print_run
    where provider_id = ${providerId} and state = any (${working}::text[])
      and exists (
        select from reprint
        where reprint.batch_number = print_run.batch_number and reprint.state = 'AUTHORISED')
    order by batch_number`.execute(db)
  return rows.map(({ batch_number }) => batch_number)
}
