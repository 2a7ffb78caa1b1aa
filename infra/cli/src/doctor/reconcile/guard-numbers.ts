import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import type { Reconciliation, ReconciliationItem } from './reconciliation.ts'

/** Skips also numbers that were assigned but that no provider has seen yet. */
const marginOfNumbers: GivenNumbers = { printRun: 1_000, document: 100_000 }

/** An assigned number must never be assigned to another run or document. */
export async function* guardNumbers(
  { db, holdReason }: Reconciliation,
  last: GivenNumbers,
): AsyncGenerator<ReconciliationItem> {
  const next = await readNextNumbers(db)
  const isBehind = (['printRun', 'document'] as const).some((which) => next[which] <= last[which])
  const about = { lastPrintRun: last.printRun, lastDocument: last.document }
  if (holdReason !== undefined) {
    await advanceNumbers(db, {
      printRun: last.printRun + 1 + marginOfNumbers.printRun,
      document: last.document + 1 + marginOfNumbers.document,
    })
    if (isBehind) {
      const found =
        'the numbers of print runs and documents now continue after those already assigned'
      yield { severity: 'done', kind: 'numbers-advanced', about, found }
    }
    return
  }
  if (!isBehind) return
  yield {
    severity: 'missing',
    kind: 'numbers-behind',
    about: { ...about, nextPrintRun: next.printRun, nextDocument: next.document },
    found: 'numbers that the provider already has would be assigned again',
    remedy: 'stop the services and give --hold-printed "<reason>": it advances them',
  }
}

/** Numbers of print runs and of documents. */
export type GivenNumbers = { printRun: number; document: number }

const sequences = { printRun: 'print_run_number', document: 'document_number' } as const

/** Returns the next numbers that the sequences would return. */
async function readNextNumbers(db: Db): Promise<GivenNumbers> {
  const { rows } = await sql<GivenNumbers>`
    select
      (select last_value + is_called::integer from print_run_number) as "printRun",
      (select last_value + is_called::integer from document_number) as document`.execute(db)
  return rows[0]!
}

/** Advances the sequences to these numbers. A sequence that is already further stays as it is. */
async function advanceNumbers(db: Db, next: GivenNumbers): Promise<void> {
  const current = await readNextNumbers(db)
  for (const which of ['printRun', 'document'] as const) {
    if (current[which] >= next[which]) continue
    await sql`select setval(${sequences[which]}, ${next[which]}, false)`.execute(db)
  }
}
