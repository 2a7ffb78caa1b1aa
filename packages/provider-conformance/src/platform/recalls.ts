import { randomUUID } from 'node:crypto'
import type { RecallResponse } from '@despatch/contracts/print-fulfilment/recall'
import { Problem } from '@despatch/domain/problem'
import type { Platform } from './platform.ts'
import { findDocument, type PlatformRun, type Recall } from './platform-run.ts'

export function askForRecall(run: PlatformRun, documentIds: readonly string[], now: Date): Recall {
  const recall: Recall = {
    recallId: randomUUID(),
    documentIds,
    state: 'OPEN',
    tooLate: [],
    requestedAt: now,
  }
  run.recalls.push(recall)
  return recall
}

/** Stops the documents that have not left. Throws a Problem if the recall was answered differently before. */
export function answerRecall(
  platform: Platform,
  recallId: string,
  answer: 'reject' | { tooLate: readonly string[] },
): { run: PlatformRun; recall: Recall } {
  const found = findRecall(platform, recallId)
  const { run, recall } = found
  const tooLate = answer === 'reject' ? recall.documentIds : leftAlready(run, recall, answer)
  const state = stateAfter(recall, answer === 'reject' ? 'reject' : tooLate)
  if (recall.state !== 'OPEN') {
    if (recall.state === state) return found
    throw new Problem('recall-answered', `Recall ${recallId} has been answered: ${recall.state}`)
  }
  recall.state = state
  recall.tooLate = tooLate
  recall.answeredAt = platform.now()
  for (const documentId of recall.documentIds) {
    if (tooLate.includes(documentId)) continue
    const document = findDocument(run, documentId)!
    document.standing.outcome = 'RECALLED'
    delete document.postingId
  }
  return found
}

function leftAlready(
  run: PlatformRun,
  { documentIds, state, tooLate: before }: Recall,
  { tooLate }: { tooLate: readonly string[] },
): readonly string[] {
  if (state !== 'OPEN') return before
  return documentIds.filter((documentId) => {
    const outcome = findDocument(run, documentId)?.standing.outcome ?? null
    return tooLate.includes(documentId) || outcome !== null
  })
}

function stateAfter(
  { documentIds }: Recall,
  answer: 'reject' | readonly string[],
): Exclude<Recall['state'], 'OPEN'> {
  if (answer === 'reject' || answer.length === documentIds.length) return 'REJECTED'
  return answer.length === 0 ? 'ACCEPTED' : 'PARTLY_ACCEPTED'
}

function findRecall({ runs }: Platform, recallId: string) {
  for (const run of runs.values()) {
    const recall = run.recalls.find((each) => each.recallId === recallId)
    if (recall) return { run, recall }
  }
  throw new Problem('recall-not-found', `There is no recall request ${recallId}`)
}

export function renderRecall(run: PlatformRun, recall: Recall): RecallResponse {
  const { recallId, state, requestedAt, answeredAt } = recall
  const documentState = (documentId: string) => {
    if (state === 'OPEN') return 'ASKED'
    return recall.tooLate.includes(documentId) ? 'TOO_LATE' : 'RECALLED'
  }
  return {
    recallId,
    batchNumber: run.batchNumber,
    state,
    reason: 'Acceptance case: the documents are not to be sent',
    documents: recall.documentIds.map((documentId) => ({
      documentId,
      state: documentState(documentId),
    })),
    requestedAt: requestedAt.toISOString(),
    ...(answeredAt && { answeredAt: answeredAt.toISOString() }),
  }
}
