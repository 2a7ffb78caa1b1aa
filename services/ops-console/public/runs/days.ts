import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { RunsOfDay } from '../../src/figures/live-facts.ts'

/** The documents of the runs of one day, by what has become of them. */
export type Day = {
  /** Null: not known yet. */
  date: string | null
  gathering: number
  inProduction: number
  posted: number
}

const parts: Partial<Record<PrintRunState, Exclude<keyof Day, 'date'>>> = {
  OPEN: 'gathering',
  RELEASED: 'gathering',
  CLAIMED: 'gathering',
  REFUSED: 'gathering',
  POSTED: 'posted',
  RECONCILED: 'posted',
  CLOSED: 'posted',
}

/** Returns the documents by day of despatch, in the order of the runs. A refused run is not produced anywhere yet. */
export function daysOf(
  runs: readonly Pick<RunsOfDay, 'expectedDespatchDate' | 'state' | 'documents'>[],
): Day[] {
  const days = new Map<string | null, Day>()
  for (const { expectedDespatchDate: date, state, documents } of runs) {
    const day = days.get(date) ?? { date, gathering: 0, inProduction: 0, posted: 0 }
    day[parts[state] ?? 'inProduction'] += documents
    days.set(date, day)
  }
  return [...days.values()]
}
