import { renewLease as operation } from '@despatch/contracts/print-fulfilment/operations'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import {
  lockPrintRun,
  type OfferedPrintRun,
  type PrintRunRef,
} from '@despatch/store/print-run/lock'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'
import { leaseSecondsDefault } from './claim-print-run.ts'

/** POST /print-runs/{batchNumber}/lease: extends the time until the provider must acknowledge the run. */
export function renewLease(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      addToLogLine(request, { batchNumber })
      const leaseUntil = await extendLease(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        leaseSeconds: request.body?.leaseSeconds ?? leaseSecondsDefault,
      })
      return { batchNumber, leaseUntil }
    },
  })
}

/**
 * Extends the provider's lease to `leaseSeconds` from now, and never shortens it. Also renews an expired lease, because
 * the run is still the provider's and still frozen.
 */
async function extendLease(
  db: Db,
  { leaseSeconds, ...ref }: PrintRunRef & { leaseSeconds: number },
): Promise<Date> {
  return transact(db, async (tx) => {
    const run = checkClaimed(await lockPrintRun(tx, ref), ref)
    const { rows } = await sql<{ leaseUntil: Date }>`
      update print_run
      set lease_until = greatest(lease_until, now() + ${leaseSeconds}::integer * interval '1 second')
      where batch_number = ${run.batchNumber}
      returning lease_until as "leaseUntil"`.execute(tx)
    return rows[0]!.leaseUntil
  })
}

function checkClaimed(
  run: OfferedPrintRun | undefined,
  { batchNumber }: PrintRunRef,
): OfferedPrintRun {
  if (!run) throw printRunNotFound(batchNumber)
  if (run.state === 'VOIDED') {
    throw notClaimed(`Print run ${batchNumber} was reassigned and must no longer be printed`)
  }
  if (run.acknowledgedAt) {
    throw notClaimed(`Print run ${batchNumber} has been acknowledged and needs no lease`)
  }
  if (run.state !== 'CLAIMED') {
    throw notClaimed(`Print run ${batchNumber} has not been claimed: there is no lease`)
  }
  return run
}

function notClaimed(detail: string): Problem {
  return new Problem('print-run-not-claimable', detail)
}
