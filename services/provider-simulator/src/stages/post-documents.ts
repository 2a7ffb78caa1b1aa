import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { documentsToMake, documentsToPost } from '../floor.ts'
import type { Manifest } from '../manifest.ts'
import type { Production } from '../production.ts'
import type { PostingRecord, RunInHand } from '../run-book.ts'
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
  await answerRecalls(run, await client.listOpenRecalls(), production)
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
    const handover = { carrier, manifestNumber, ...wirePosting(run, posting, manifest) }
    const postingId = await client.post(handover)
    await production.reach('after-posting', run)
    await client.confirm(postingId)
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
function wirePosting(
  { batchNumber, record }: RunInHand,
  { postingKey, handoverAt, documentIds, isRepeat }: PostingRecord,
  { documents, despatchMethod, format }: Manifest,
) {
  const documentCount = documentIds.length
  const isWhole = !isRepeat && documentCount === documents.length - (record.refusals?.length ?? 0)
  return {
    batchNumber,
    postingKey,
    handoverAt,
    ...(!isWhole && { documentIds }),
    ...(format !== undefined && { count: { despatchMethod, format, documentCount } }),
  }
}
