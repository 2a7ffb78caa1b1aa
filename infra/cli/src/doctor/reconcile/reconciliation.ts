import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'

/** Input and scope of a reconciliation. */
export type Reconciliation = {
  db: Db
  objects: ObjectStore
  /** If true, also reads every object and compares its bytes with its name. */
  readObjects: boolean
  /** Print logs and manifests of providers, as NDJSON. */
  printLogs: readonly string[]
  /** Print jobs whose consumers were told that they are accepted: a user name and an id on each line. */
  accepted: string | undefined
  /** If set, printed letters are held for this reason, and numbers are advanced. */
  holdReason: string | undefined
}

/**
 * One result. `missing` makes the command end with 1. `note`: no action is required now. `done`: the command has
 * changed something.
 */
export type ReconciliationItem = {
  severity: 'missing' | 'note' | 'done'
  kind: string
  /** The subject as ids and counts, without personal information. */
  about: Readonly<Record<string, string | number>>
  found: string
  /** What to do. */
  remedy?: string
}

/** One question of a reconciliation. Yields results as it finds them, because there may be as many as letters. */
export type ReconciliationCheck = (
  reconciliation: Reconciliation,
) => AsyncGenerator<ReconciliationItem>

export const pageMax = 1_000
