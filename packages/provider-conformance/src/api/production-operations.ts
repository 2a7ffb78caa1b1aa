import {
  addPostingEvidence,
  confirmPosting as confirmPostingOperation,
  createPosting as createPostingOperation,
  getPosting as getPostingOperation,
} from '@despatch/contracts/print-fulfilment/operations'
import {
  closePrintRun,
  getReconciliation,
  listReprints,
  reportItemEvents as reportItemEventsOperation,
  requestReprints as requestReprintsOperation,
} from '@despatch/contracts/print-fulfilment/production-operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { reportItemEvents } from '../platform/item-events.ts'
import { getClaimedRun, getRun, linkPrefix, type Platform } from '../platform/platform.ts'
import { missingDocuments, type PlatformRun } from '../platform/platform-run.ts'
import {
  confirmPosting,
  createPosting,
  getPosting,
  renderPlatformPosting,
} from '../platform/postings.ts'
import { renderAccount, renderReconciliation } from '../platform/reconciliation.ts'
import { authoriseReprints, renderReprint, requestReprints } from '../platform/reprints.ts'

const uploadSeconds = 300
const namedMax = 100

/** Adds the operations from the first event to the closing. */
export function addProductionOperations(api: Api, platform: Platform): void {
  api.route({
    ...reportItemEventsOperation,
    handler: async ({ params: { batchNumber }, body }) => ({
      batchNumber,
      results: reportItemEvents(getRun(platform, batchNumber), body.events),
    }),
  })

  api.route({
    ...requestReprintsOperation,
    handler: async ({ params: { batchNumber }, body }) => {
      const run = getRun(platform, batchNumber)
      const reprints = requestReprints(run, body.documents, platform.now())
      return { batchNumber, reprints: reprints.map((reprint) => renderReprint(run, reprint)) }
    },
  })

  api.route({
    ...listReprints,
    handler: async ({ params: { batchNumber }, query }) => {
      const run = getRun(platform, batchNumber)
      authoriseReprints(run, platform.now())
      const reprints = run.reprints.filter(
        ({ state }) => query.state === undefined || query.state === state,
      )
      return { batchNumber, reprints: reprints.map((reprint) => renderReprint(run, reprint)) }
    },
  })

  api.route({
    ...createPostingOperation,
    handler: async ({ headers, body }, reply) => {
      const key = headers['idempotency-key']
      const posting = createPosting(platform, { key, request: body })
      return reply.code(201).send(renderPlatformPosting(posting))
    },
  })

  api.route({
    ...confirmPostingOperation,
    handler: async ({ params }) =>
      renderPlatformPosting(confirmPosting(platform, params.postingId)),
  })

  api.route({
    ...getPostingOperation,
    handler: async ({ params }) => renderPlatformPosting(getPosting(platform, params.postingId)),
  })

  api.route({
    ...addPostingEvidence,
    handler: async ({ params }, reply) => {
      const { postingId } = getPosting(platform, params.postingId)
      const evidenceId = crypto.randomUUID()
      return reply.code(201).send({
        evidenceId,
        uploadUrl: `${platform.baseUrl}${linkPrefix}evidence/${postingId}/${evidenceId}`,
        expiresAt: new Date(platform.now().getTime() + uploadSeconds * 1_000).toISOString(),
      })
    },
  })

  api.route({
    ...getReconciliation,
    handler: async ({ params }) =>
      renderReconciliation(getClaimedRun(platform, params.batchNumber), platform.now()),
  })

  api.route({
    ...closePrintRun,
    handler: async ({ params: { batchNumber } }) => {
      const run = getRun(platform, batchNumber)
      refuseUnaccounted(run)
      run.closedAt ??= platform.now()
      const closedAt = run.closedAt.toISOString()
      return { batchNumber, state: 'CLOSED' as const, ...renderAccount(run), closedAt }
    },
  })
}

function refuseUnaccounted(run: PlatformRun): void {
  if (run.closedAt) return
  const missing = missingDocuments(run)
  if (run.acknowledgement && missing.length === 0) return
  const faults = missing.slice(0, namedMax).map(({ documentId }) => ({
    field: documentId,
    code: 'DocumentsUnaccounted',
    detail: `Document ${documentId} is neither despatched, refused, failed nor recalled`,
  }))
  throw new Problem(
    'print-run-unaccounted',
    `${missing.length} documents of print run ${run.batchNumber} are unaccounted for: ${missing
      .slice(0, namedMax)
      .map(({ documentId }) => documentId)
      .join(', ')}`,
    faults,
  )
}
