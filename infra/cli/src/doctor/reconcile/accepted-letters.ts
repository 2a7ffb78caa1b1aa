import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { readLines } from './read-lines.ts'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

type Given = AcceptedLetter & { line: number }

/** Finds print jobs whose consumers were told that they are accepted, but which are not in the database. */
export async function* listAcceptedLetters({
  db,
  accepted,
}: Reconciliation): AsyncGenerator<ReconciliationItem> {
  if (accepted === undefined) return
  let page: Given[] = []
  for await (const { number: line, text } of readLines(accepted)) {
    const [consumer, printJobId, ...more] = text.trim().split(/\s+/)
    if (!consumer || !printJobId || more.length > 0) {
      yield {
        severity: 'missing',
        kind: 'line-unreadable',
        about: { file: accepted, line },
        found: 'the line is not a user name and the id of a print job, separated by a space',
        remedy: 'correct the line',
      }
      continue
    }
    page.push({ consumer, printJobId, line })
    if (page.length < pageMax) continue
    yield* comparePage(db, page)
    page = []
  }
  yield* comparePage(db, page)
}

async function* comparePage(
  db: Reconciliation['db'],
  page: readonly Given[],
): AsyncGenerator<ReconciliationItem> {
  const found = await areAccepted(db, page)
  for (const [index, { consumer, printJobId }] of page.entries()) {
    if (found[index]) continue
    yield {
      severity: 'missing',
      kind: 'letter-lost',
      about: { consumer, printJobId },
      found: 'the consumer was told that the print job was accepted, but it is not in the database',
      remedy:
        'ask the consumer to submit it again with the same id, unless the consumer was notified of PRODUCTION or DESPATCHED or the print log has unknown documents',
    }
  }
}

/** A print job that a consumer knows as accepted. */
type AcceptedLetter = { consumer: string; printJobId: string }

/** Returns, in order, whether each letter is in the database. Deleted and purged ones are: their rows stay. */
async function areAccepted(db: Db, letters: readonly AcceptedLetter[]): Promise<boolean[]> {
  const rows = letters.map((letter, place) => ({ place, ...letter }))
  const found = await sql<{ isThere: boolean }>`
    select exists (
      select from print_job job join consumer on consumer.id = job.consumer_id
      where consumer.user_name = accepted.consumer and job.id = accepted."printJobId") as "isThere"
    from json_to_recordset(${JSON.stringify(rows)}::json) as accepted (place integer, consumer text, "printJobId" text)
    order by place`.execute(db)
  return found.rows.map(({ isThere }) => isThere)
}
