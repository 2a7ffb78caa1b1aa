import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { transact } from '@despatch/store/transact'
import { sql } from 'kysely'
import { countOf } from '../../count-of.ts'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

/** The actor of holds from the command line, in timelines and in the audit. */
const actor = 'command-line'

export const holdThem = 'stop the services and give --hold-printed "<reason>": it holds the letter'

/** Nothing shows whether letters without a number are among the printed ones. */
export async function* guardUnnumbered(
  { db, holdReason: reason }: Reconciliation,
  unknown: number,
): AsyncGenerator<ReconciliationItem> {
  for (let after: string | undefined; ; ) {
    const keys = await listUnnumberedLetters(db, { after, limit: pageMax })
    for (const printJobKey of keys) {
      const about = { printJobKey }
      if (reason === undefined) {
        yield {
          severity: 'missing',
          kind: 'possibly-printed',
          about,
          found: `the letter may be one of ${countOf(unknown, 'printed document')} not known`,
          remedy: holdThem,
        }
        continue
      }
      const outcome = await holdPrintedLetter(db, printJobKey, reason)
      yield outcome === 'held'
        ? {
            severity: 'done',
            kind: 'letter-held',
            about,
            found: 'the letter may have been printed and is now held',
          }
        : { severity: 'missing', kind: 'possibly-printed', about, found: outcome.whyNot }
    }
    if (keys.length < pageMax) return
    after = keys.at(-1)
  }
}

/** Holds a letter that a provider has printed and that could be printed again. Returns why if that is not possible. */
export async function holdPrintedLetter(
  db: Db,
  printJobKey: string,
  reason: string,
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
async function listUnnumberedLetters(
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
