import type { Db } from '@despatch/store/database'
import { isLost } from '@despatch/store/print-job/recover-lost'
import { sql } from 'kysely'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

/** Reports the work that waits for the services, and the letters that no service will process. */
export async function* listLiveLetters({ db }: Reconciliation): AsyncGenerator<ReconciliationItem> {
  const waiting = await countWaitingWork(db)
  yield* note('steps-overdue', waiting.overdueSteps, 'letters wait for the sweep', 'nothing to do')
  yield* note('callbacks-due', waiting.dueCallbacks, 'callbacks are due', 'nothing to do')
  yield* note(
    'steps-parked',
    waiting.parkedSteps,
    'letters are parked',
    'npx despatch jobs redrive-parked, once the cause is removed',
  )
  for (let after: string | undefined; ; ) {
    const letters = await listUnwatchedLetters(db, { after, limit: pageMax })
    for (const letter of letters) {
      yield {
        severity: 'missing',
        kind: 'step-unwatched',
        about: letter,
        found: 'the letter is to be checked and has no place in the waiting work',
        remedy: 'docs/runbooks/invariants.md#invariantsviolated, unwatched-steps',
      }
    }
    if (letters.length < pageMax) return
    after = letters.at(-1)!.printJobKey
  }
}

function* note(
  kind: string,
  count: number,
  what: string,
  remedy: string,
): Generator<ReconciliationItem> {
  if (count > 0)
    yield { severity: 'note', kind, about: { count }, found: `${count} ${what}`, remedy }
}

/** Counts of the work that waits while the services are stopped. */
type WaitingWork = {
  /** Letters of batches whose lease expired: the sweep gives the batches up. */
  overdueSteps: number
  /** Callbacks that are due. */
  dueCallbacks: number
  /** Parked letters. An operator redrives them. */
  parkedSteps: number
}

type UnwatchedLetter = {
  printJobKey: string
  printJobId: string
  consumer: string
  status: string
}

/** Counts the work that waits for the services, in one snapshot. */
async function countWaitingWork(db: Db): Promise<WaitingWork> {
  const { rows } = await sql<WaitingWork>`
    select
      (select coalesce(sum(cardinality(subjects)), 0)::bigint from letter_batch where leased_until < now()) as "overdueSteps",
      (select count(*) from callback where state = 'DUE' and due_at < now()) as "dueCallbacks",
      (select count(*) from print_job where parked_at is not null and deleted_at is null) as "parkedSteps"`.execute(
    db,
  )
  return rows[0]!
}

/** Lists the letters that are to be checked and that nothing will continue. Returns at most `limit`, after the key `after`. */
async function listUnwatchedLetters(
  db: Db,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UnwatchedLetter[]> {
  const { rows } = await sql<UnwatchedLetter>`
    select job.key as "printJobKey", job.id as "printJobId", consumer.user_name as consumer, job.status
    from print_job job join consumer on consumer.id = job.consumer_id
    where ${isLost} and (${after ?? null}::uuid is null or job.key > ${after ?? null}::uuid)
    order by job.key
    limit ${limit}`.execute(db)
  return rows
}
