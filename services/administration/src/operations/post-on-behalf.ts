import { hash } from 'node:crypto'
import {
  type PostOnBehalfRequest,
  postedOnBehalfSchema,
} from '@despatch/contracts/administration/posting-on-behalf'
import { postOnBehalf as operation } from '@despatch/contracts/administration/print-run-operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { renderAnswer } from '@despatch/http/stored-answers'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'
import { type OnBehalfOutcome, savePostingOnBehalf } from '../print-run/posting-on-behalf.ts'
import { printRunConflict, unpostable } from '../print-run/refusals.ts'

type Posted = Extract<OnBehalfOutcome, { kind: 'posted' }>
type Asked = PostOnBehalfRequest & { batchNumber: string; actor: string }

/**
 * POST /print-runs/{batchNumber}/postings: records that letters have left, on behalf of a provider that cannot report
 * it.
 */
export function postOnBehalf(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { params, body, caller } = request
      const { batchNumber } = params
      addToLogLine(request, { batchNumber })
      requirePast(body.handoverAt, now())
      const asked = { ...body, batchNumber, actor: actorOf(caller) }
      const posted = await transact(db, (tx) => postRecorded(tx, asked))
      addToLogLine(request, { postingId: posted.postingId })
      return reply.code(201).send(posted)
    },
  })
}

function requirePast(handoverAt: string, now: Date): void {
  if (Date.parse(handoverAt) <= +now) return
  throw invalidFields([
    { field: 'handoverAt', code: 'Invalid', detail: 'handoverAt must not be in the future' },
  ])
}

async function postRecorded(tx: Tx, asked: Asked) {
  const { batchNumber, carrier, manifestNumber, postingKey, reason, actor, expectedCount } = asked
  const documentIds = asked.documentIds && [...new Set(asked.documentIds)]
  const outcome = await savePostingOnBehalf(tx, {
    batchNumber,
    documentIds,
    postingKey,
    requestHash: hashPosting(asked),
    carrier,
    handoverAt: new Date(asked.handoverAt),
    manifestNumber,
    expectedCount,
    by: { actor, reason: `Recorded on behalf of the provider: ${reason}` },
  })
  const { posting, providerId, isRepeat } = requirePosted(asked, outcome)
  const posted = { ...posting, batchNumber, providerId, confirmedAt: posting.confirmedAt! }
  if (!isRepeat) {
    const { confirmedAt: _, ...detail } = renderAnswer(postedOnBehalfSchema, posted)
    await insertAuditEvent(tx, {
      actor,
      action: 'print-run.posted-in-stead',
      detail: { ...detail, reason },
    })
  }
  return posted
}

/** Returns a hash that distinguishes a repeat from another posting under the same key. */
function hashPosting(asked: Asked): Buffer {
  const { batchNumber, documentIds, carrier, manifestNumber = null, reason } = asked
  const documents = documentIds ? [...new Set(documentIds)].toSorted() : 'all'
  const handoverAt = new Date(asked.handoverAt).toISOString()
  const told = JSON.stringify([batchNumber, documents, carrier, handoverAt, manifestNumber, reason])
  return hash('sha256', told, 'buffer')
}

function requirePosted(asked: Asked, outcome: OnBehalfOutcome): Posted {
  const { batchNumber, postingKey, expectedCount } = asked
  switch (outcome.kind) {
    case 'posted':
      return outcome
    case 'key-reused':
      throw printRunConflict(`The postingKey ${postingKey} belongs to another posting`)
    case 'too-early':
      throw invalidFields([tooEarly(outcome.claimedAt)])
    case 'too-many':
      throw printRunConflict(
        `Print run ${batchNumber} has ${outcome.documentCount} such documents, more than ${expectedCount}. Nothing is recorded`,
      )
    default:
      throw unpostable(asked, outcome)
  }
}

function tooEarly(claimedAt: Date) {
  const field = 'handoverAt'
  const rule = `must not be before the print run was claimed, at ${claimedAt.toISOString()}`
  return { field, code: 'Invalid', detail: `${field} ${rule}` }
}
