import { reassignPrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { type StoreDocumentsContext, storeDocumentsOfRun } from '@despatch/letters/store-documents'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Tx } from '@despatch/store/database'
import type { PrintRunWithProvider } from '@despatch/store/print-run/details'
import {
  type MoveOutcome,
  type PrintRunReassignment,
  type ReassignedPrintRun,
  reassignDocuments,
} from '@despatch/store/print-run/reassign'
import { actorOf } from '../operator/access.ts'
import { printRunConflict, unreassignable } from '../print-run/refusals.ts'
import { requireProvider } from '../provider/providers.ts'

/** POST /print-runs/{batchNumber}/move: reassigns its documents to a new run at another site. */
export function reassignPrintRun(api: Api, context: StoreDocumentsContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { db } = context
      const { params, body, caller } = request
      const { batchNumber } = params
      await requireProvider(db, body.providerId)
      const move: PrintRunReassignment = {
        ...body,
        nothingPrinted: body.nothingPrinted === true,
        batchNumber,
        actor: actorOf(caller),
      }
      const run = await reassign(context, move)
      addToLogLine(request, { batchNumber, movedTo: run.batchNumber })
      return reply.code(201).send(run)
    },
  })
}

const triesMax = 3
/** Limit of one try, so that a request waits at most as long as for a slow statement. */
const storingMsMax = 10_000

/**
 * A run that is still gathering is released by the reassignment, so its documents are stored first. More may be
 * gathered meanwhile.
 */
async function reassign(
  context: StoreDocumentsContext,
  move: PrintRunReassignment,
  triesLeft = triesMax,
): Promise<ReassignedPrintRun> {
  await storeDocumentsOfRun(context, move.batchNumber, storingMsMax)
  try {
    return await transact(context.db, (tx) => reassignRecorded(tx, move))
  } catch (error) {
    if (!(error instanceof DocumentsUnstored)) throw error
    if (triesLeft > 1) return reassign(context, move, triesLeft - 1)
    throw printRunConflict(
      `Documents of print run ${move.batchNumber} are still being stored. Try again in a minute`,
    )
  }
}

class DocumentsUnstored extends Error {
  override readonly name = 'DocumentsUnstored'
}

async function reassignRecorded(tx: Tx, move: PrintRunReassignment): Promise<ReassignedPrintRun> {
  const run = requireMoved(move, await reassignDocuments(tx, move))
  const { reason, nothingPrinted, actor } = move
  const detail = { ...run, reason, nothingPrinted }
  await insertAuditEvent(tx, { actor, action: 'print-run.moved', detail })
  return run
}

function requireMoved(move: PrintRunReassignment, outcome: MoveOutcome): ReassignedPrintRun {
  const { batchNumber, providerId, printLocation, expectedCount } = move
  switch (outcome.kind) {
    case 'moved':
      return outcome.run
    case 'site-absent':
      throw new Problem('print-site-not-found', `${providerId} has no site ${printLocation}`)
    case 'site-disabled':
      throw printRunConflict(`Site ${printLocation} of ${providerId} is disabled: enable it first`)
    case 'site-unable':
      throw printRunConflict(
        `Site ${printLocation} of ${providerId} cannot print it: it requires ${needsOf(outcome)}`,
      )
    case 'not-certified':
      throw notCertified(batchNumber)
    case 'unfinished':
      throw new DocumentsUnstored()
    case 'more':
      throw printRunConflict(
        `Print run ${batchNumber} has ${outcome.documentCount} such documents, more than ${expectedCount}. Nothing is reassigned`,
      )
    default:
      throw unreassignable(batchNumber, outcome)
  }
}

function needsOf({ run, sheetsMax }: { run: PrintRunWithProvider; sheetsMax: number }): string {
  const { stationery, format, plex, colour, despatchMethod } = run
  const ink = colour ? 'colour' : 'black'
  return [stationery, format, plex, ink, despatchMethod, `${sheetsMax} sheets`].join(', ')
}

function notCertified(batchNumber: string): Problem {
  const field = 'nothingPrinted'
  const rule = `must be true, because print run ${batchNumber} is claimed`
  return invalidFields([{ field, code: 'NotNull', detail: `${field} ${rule}` }])
}
