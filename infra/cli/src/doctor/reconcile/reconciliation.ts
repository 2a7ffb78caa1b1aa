import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'

/** What a reconciliation reads, and how much of it. */
export type Reconciliation = {
  db: Db
  objects: ObjectStore
  /** Reads every object and compares its bytes with its name, too. */
  readObjects: boolean
  /** Print logs and manifests of providers, as NDJSON. */
  printLogs: readonly string[]
  /** Print jobs that consumers were told are accepted: a user name and an id on each line. */
  accepted: string | undefined
  /** Set: what was printed is held for this reason, and numbers are advanced. */
  holdReason: string | undefined
}

/**
 * What one thing is that was found. `missing` ends the command with 1. A `note` tells what needs nobody now, and `done` what
 * the command has changed.
 */
export type ReconciliationItem = {
  severity: 'missing' | 'note' | 'done'
  kind: string
  /** What it is about, by ids and counts. No personal information. */
  about: Readonly<Record<string, string | number>>
  found: string
  /** What to do. */
  remedy?: string
}

/** One question of a reconciliation. Gives what it finds as it finds it: there may be as many as there are letters. */
export type ReconciliationCheck = (
  reconciliation: Reconciliation,
) => AsyncGenerator<ReconciliationItem>

export const pageMax = 1_000
