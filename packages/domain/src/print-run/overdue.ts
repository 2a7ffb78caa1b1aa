import type { LondonTime } from './capabilities.ts'
import type { PrintRunState } from './state.ts'

/**
 * Returns from which London time on the day after their due date the documents of a print run in this state are
 * overdue. Providers report despatches during the night and the morning. Undefined: no document is left to despatch.
 */
export function overdueTime(state: PrintRunState): LondonTime | undefined {
  if (['RECONCILED', 'CLOSED', 'VOIDED'].includes(state)) return undefined
  return ['OPEN', 'RELEASED', 'REFUSED'].includes(state) ? '00:00' : '12:00'
}
