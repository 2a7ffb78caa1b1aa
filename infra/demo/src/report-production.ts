import { collectDocuments, type PrintRun } from './collect-documents.ts'
import type { LetterProgress } from './letter-progress.ts'
import { drawReconciliationTable } from './screen/reconciliation-table.ts'
import type { Screen } from './screen/screen.ts'
import { type PrintedAttempt, readPrintLog } from './users/print-factory.ts'
import type { Session } from './users/session.ts'

export type ProductionReport = { printRuns: PrintRun[]; printLog: PrintedAttempt[] }

/**
 * Prints the results of the print runs: their reconciliations once they are closed, and a reprint as its consumer reads
 * it.
 */
export async function reportProduction({
  session,
  letters,
  factoryDirectory,
  screen,
  signal,
}: {
  session: Session
  letters: readonly LetterProgress[]
  factoryDirectory: string
  screen: Screen
  signal: AbortSignal
}): Promise<ProductionReport> {
  const printRuns = await collectDocuments(session, letters, signal)
  screen.print(
    ...drawReconciliationTable(
      printRuns.map(({ account }) => account),
      screen.paint,
    ),
  )
  for (const progress of letters) reportReprint(progress, screen)
  return { printRuns, printLog: await readPrintLog(factoryDirectory) }
}

function reportReprint({ letter, events }: LetterProgress, screen: Screen): void {
  const { expected, number } = letter
  if (expected.status !== 'DESPATCHED' || expected.attempt === 1) return
  const start = events.findIndex(({ transition }) => transition === 'produce')
  const steps = events
    .slice(start)
    .map(({ transition, reason }) => (reason ? `${transition} (${reason})` : transition))
  screen.say('consumer', `read in the timeline of letter ${number} what became of it:`, [
    steps.join(' → '),
  ])
}
