import { recallDocuments } from '@despatch/store/recall/request'
import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, namedInPosting, reportedEvents } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { refusedForNow } from '../scripted-answers.ts'
import { isDone } from '../transcript.ts'

const recalledPlaces = [1, 2]

export const recallRequest: ConformanceCase = {
  id: 'C13',
  title: 'Documents are recalled',
  expectation:
    'Request the recall requests before posting. Accept the recall and then neither print nor post its documents, or reject it.',
  documentCount: 5,
  script,
  judge: (evidence) =>
    combine(
      { violations: [...unanswered(evidence), ...sentAfterwards(evidence)] },
      judgeRun(evidence),
    ),
}

/** The recall comes with the acknowledgement. Postings wait a while for the client to look for it. */
function script({ run, platform, pace }: Stage): Script {
  let isSeen = false
  let isRequested = false
  let waitUntilMs: number | undefined
  return {
    before: (call) => {
      if (call.kind !== 'createPosting' || isSeen || !isRequested) return
      if (!call.batchNumbers.includes(run.batchNumber)) return
      waitUntilMs ??= call.atMs + pace.leaseSeconds * 1_000
      if (call.atMs > waitUntilMs) return
      return refusedForNow(call, { status: 503, retryAfterSeconds: pace.retryAfterSeconds })
    },
    after: async (call) => {
      if (call.kind === 'listRecallRequests' && isRequested) isSeen = true
      const isOurs = call.batchNumbers.includes(run.batchNumber)
      if (call.kind !== 'acknowledgePrintRun' || !isOurs || !isDone(call) || isRequested) return
      isRequested = true
      const documentIds = recalledPlaces.map((place) => run.documents[place]!.documentId)
      const reason = 'Acceptance case: the documents are not to be sent'
      const recall = { batchNumber: run.batchNumber, documentIds, reason, actor: 'conformance' }
      await platform.database.db.transaction().execute((tx) => recallDocuments(tx, recall))
    },
  }
}

function unanswered({ facts }: Evidence): string[] {
  return facts.isClosed && facts.recall?.isOpen
    ? ['the run was closed without an answer to the recall']
    : []
}

function sentAfterwards(evidence: Evidence): string[] {
  const { answeredAt = null, stopped = [] } = evidence.facts.recall ?? {}
  if (!answeredAt) return []
  const answer = callsOf(evidence, 'acceptRecall').find(isDone)
  const later = (call: { atMs: number }) => answer !== undefined && call.atMs > answer.atMs
  const posted = callsOf(evidence, 'createPosting')
    .filter(later)
    .flatMap((call) => namedInPosting(evidence, call) ?? [])
    .filter((documentId) => stopped.includes(documentId))
  const printed = reportedEvents(evidence)
    .filter(({ call, event }) => later(call) && event.type === 'PRINTED')
    .filter(({ event }) => stopped.includes(event.documentId))
    .filter(({ event }) => Date.parse(event.occurredAt) > answeredAt.getTime())
    .map(({ event }) => event.documentId)
  return [
    ...[...new Set(posted)].map((id) => `${id} was to be posted after its recall was accepted`),
    ...[...new Set(printed)].map((id) => `${id} was printed after its recall was accepted`),
  ]
}
