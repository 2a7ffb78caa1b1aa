import type { IllegalLife } from '../../model/replay-timelines.ts'
import type { Change } from '../facts/changes.ts'
import type { Deliveries } from '../facts/deliveries.ts'
import type { PrintHistory } from '../facts/print-history.ts'
import { checkChanges } from './check-changes.ts'
import { type ClientFacts, checkClients } from './check-clients.ts'
import { checkDeliveries } from './check-deliveries.ts'
import { checkPrintHistory } from './check-print-history.ts'
import type { Finding } from './finding.ts'

/** Everything that is known of a run after it has ended. */
export type RunFacts = {
  clients: ClientFacts
  /** Absent: no letter was to be printed. */
  print?: PrintHistory
  deliveries: Deliveries
  changes: readonly Change[]
  /** Print jobs, print runs and callbacks whose steps the model does not allow. */
  illegalLives: readonly IllegalLife[]
}

/** Checks a run against every rule. Pure. An empty list means that nothing was lost and nothing was done twice. */
export function checkRun({
  clients,
  print,
  deliveries,
  changes,
  illegalLives,
}: RunFacts): Finding[] {
  return [
    ...checkClients(clients),
    ...(print ? checkPrintHistory(print) : []),
    ...checkDeliveries(deliveries),
    ...checkChanges(changes),
    ...illegalLives.map(toFinding),
  ]
}

/** Turns a violation of the model into a finding. The rule (docs/model.md): every step is one that the model allows. */
export function toFinding({ of, subject, fault }: IllegalLife): Finding {
  return { rule: `every ${of} follows the model`, subject, detail: fault }
}
