import { sql } from 'kysely'
import { insertAuditEvent } from '../access/audit-events.ts'
import type { Db } from '../database.ts'
import { holdPrintJob } from '../print-job/hold.ts'
import { transact } from '../transact.ts'

type Because = { actor: string; reason: string }

/** Holds a letter that a provider has printed and that could be printed again. Returns why if that is not possible. */
export async function holdPrintedLetter(
  db: Db,
  printJobKey: string,
  { actor, reason }: Because,
): Promise<'held' | { whyNot: string }> {
  return transact(db, async (tx) => {
    const outcome = await holdPrintJob(tx, { key: printJobKey }, { actor, reason })
    if (outcome.kind === 'absent') return { whyNot: 'It does not exist.' }
    if (outcome.kind === 'refused') return { whyNot: outcome.whyNot }
    const { consumerId, id: printJobId } = outcome.printJob
    await insertAuditEvent(tx, {
      actor,
      action: 'print-job.held',
      consumerId,
      detail: { printJobKey, printJobId, reason },
    })
    return 'held'
  })
}

/**
 * Lists the letters whose document has no number yet and that no operator holds. Each may have been printed after the
 * time to which the database was restored. Returns at most `limit` keys, in order, after the key `after`.
 */
export async function listUnnumberedLetters(
  db: Db,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job
    where deleted_at is null and document_number is null and status in ('QUARANTINE', 'VALIDATING')
      and (held_by is null or held_by in ('consumer', 'contract'))
      and (${after ?? null}::uuid is null or key > ${after ?? null}::uuid)
    order by key
    limit ${limit}`.execute(db)
  return rows.map(({ key }) => key)
}
