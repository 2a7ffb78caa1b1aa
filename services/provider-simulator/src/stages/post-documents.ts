import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Manifest } from '@despatch/client/print-run'
import { documentsToMake, documentsToPost } from '../floor/documents.ts'
import type { Production } from '../print-run/production.ts'
import type { PostingRecord, RunInHand } from '../print-run/run-book.ts'
import { answerRecalls } from './answer-recalls.ts'
import { reportReturns } from './report-returns.ts'

const carrier = 'Simulated Mail'

/**
 * Hands over the enclosed documents once the run has spent its time on the floor. First takes out recalled documents.
 */
export async function postDocuments(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<void> {
  const { client, settings, signal, clock } = production
  const readyMs = Date.parse(run.record.acknowledgedAt ?? '') + settings.printTimeMs
  await pause(Math.max(readyMs - Date.now(), 0), undefined, { signal })
  const recalls = await Array.fromAsync(client.listRecallRequests({ state: 'OPEN' }))
  await answerRecalls(run, recalls, production)
  const documents = documentsToMake(manifest, run.record)
  const documentIds = documentsToPost(documents, run.record, run.journal.latest)
  if (documentIds.length > 0) {
    // Saved before the call, because a repeated posting must be the same.
    const posting = { postingKey: randomUUID(), handoverAt: clock().toISOString(), documentIds }
    await run.save({ postings: [...(run.record.postings ?? []), posting] })
  }
  await finishPostings(run, manifest, production)
}

/** Sends and confirms the postings on disk, and reports which of their letters came back. */
export async function finishPostings(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<void> {
  for (const posting of run.record.postings ?? []) {
    await finishPosting(run, { posting, manifest }, production)
  }
}

async function finishPosting(
  run: RunInHand,
  { posting, manifest }: { posting: PostingRecord; manifest: Manifest },
  production: Production,
): Promise<void> {
  const { client, onEvent } = production
  const { batchNumber } = run
  const { postingKey, documentIds } = posting
  const change = (changes: Partial<PostingRecord>) =>
    run.save({
      postings: (run.record.postings ?? []).map((each) =>
        each.postingKey === postingKey ? { ...each, ...changes } : each,
      ),
    })
  if (!posting.confirmedAt) {
    const manifestNumber = `SIM-${postingKey.slice(0, 8)}`
    const request = { carrier, manifestNumber, ...requestOf(run, posting, manifest) }
    const { postingId } = await client.createPosting(request, { idempotencyKey: postingKey })
    await production.reach('after-posting', run)
    await client.confirmPosting(postingId)
    await change({ confirmedAt: new Date().toISOString() })
    const documentCount = documentIds.length
    onEvent({ kind: 'posted', batchNumber, documentCount, carrier, manifestNumber })
  }
  if (!posting.returnsToldAt && !posting.isRepeat) {
    await reportReturns(run, posting, production)
    await change({ returnsToldAt: new Date().toISOString() })
  }
}

/** Returns the body of a posting. It names the documents unless they are all of the run that were not refused. */
function requestOf(
  { batchNumber, record }: RunInHand,
  { handoverAt, documentIds, isRepeat }: PostingRecord,
  { documents, despatchMethod, format }: Manifest,
) {
  const documentCount = documentIds.length
  const isWhole = !isRepeat && documentCount === documents.length - (record.refusals?.length ?? 0)
  return {
    batchNumber,
    handoverAt,
    ...(!isWhole && { documentIds }),
    counts: [{ despatchMethod, format, documentCount }],
  }
}
