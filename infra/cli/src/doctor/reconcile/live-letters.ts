import { countWaitingWork, listUnwatchedLetters } from '@despatch/store/reconcile/live-letters'
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
        found: 'the letter is being checked and has no due check',
        remedy: 'docs/runbooks/invariants-violated.md, unwatched-steps',
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
