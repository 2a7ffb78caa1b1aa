import { isWorkingAt } from '@despatch/domain/calendar/working-time'
import { findStuckSeconds, type StuckSeconds } from '@despatch/domain/print-job/stuck'
import type { Db } from '@despatch/store/database'
import { countViolations, type InvariantCheck } from '@despatch/store/overview/invariants'
import {
  type ReconciliationFigures,
  readReconciliationFigures,
} from '@despatch/store/overview/reconciliation-figures'
import { readStuckFacts } from '@despatch/store/overview/stuck-facts'

/** Figures that are read once a minute, because reading them is expensive. */
export type Watch = ReconciliationFigures & {
  stuckSeconds: StuckSeconds
  /** Enabled sites that work at this moment, by their calendars. */
  sitesWorking: number
  violations: Record<InvariantCheck, number>
}

export async function readWatch(db: Db, now: () => Date): Promise<Watch> {
  const [{ facts, sites }, accounts, violations] = await Promise.all([
    readStuckFacts(db),
    readReconciliationFigures(db),
    countViolations(db),
  ])
  const at = now()
  return {
    ...accounts,
    stuckSeconds: findStuckSeconds(facts, at),
    sitesWorking: sites.filter((site) => isWorkingAt(site, site.despatchMethods, at)).length,
    violations,
  }
}
