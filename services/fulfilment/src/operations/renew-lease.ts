import { renewLease as operation } from '@despatch/contracts/print-fulfilment/operations'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { type LeaseOutcome, renewLease as renewStored } from '@despatch/store/print-run/lease'
import { providerOf } from '../provider-of.ts'

/** POST /print-runs/{batchNumber}/lease: extends the time until the provider must acknowledge the run. */
export function renewLease(api: Api, { db, leaseSeconds }: { db: Db; leaseSeconds: number }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      addToLogLine(request, { batchNumber })
      const outcome = await renewStored(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        leaseSeconds: request.body?.leaseSeconds ?? leaseSeconds,
      })
      return { batchNumber, leaseUntil: leaseOf(outcome, batchNumber).toISOString() }
    },
  })
}

function leaseOf(outcome: LeaseOutcome, batchNumber: string): Date {
  switch (outcome.kind) {
    case 'renewed':
      return outcome.leaseUntil
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'not-claimed':
      throw notClaimed(`Print run ${batchNumber} has not been claimed: there is no lease`)
    case 'acknowledged':
      throw notClaimed(`Print run ${batchNumber} has been acknowledged and needs no lease`)
    case 'moved':
      throw notClaimed(`Print run ${batchNumber} was reassigned and must no longer be printed`)
  }
}

function notClaimed(detail: string): Problem {
  return new Problem('print-run-not-claimable', detail)
}
