import type { RecallRequest } from '@despatch/client/print-run'
import { decideRecall } from '../floor/documents.ts'
import type { Production } from '../print-run/production.ts'
import type { RecallAnswer, RunInHand } from '../print-run/run-book.ts'

/** Stops the recalled documents of a run, except those in a posting. */
export async function answerRecalls(
  run: RunInHand,
  open: readonly RecallRequest[],
  production: Production,
): Promise<void> {
  const { batchNumber } = run
  for (const recall of open.filter((each) => each.batchNumber === batchNumber)) {
    const before = run.record.recalls?.find(({ recallId }) => recallId === recall.recallId)
    if (before?.answeredAt) continue
    const answer = before ?? decideRecall(recall, run.record)
    // Saved before the call, because a repeated answer must be the same.
    await keep(run, answer)
    await tell(answer, production)
    await keep(run, { ...answer, answeredAt: new Date().toISOString() })
    for (const documentId of answer.stopped) {
      production.onEvent({ kind: 'recalled', batchNumber, documentId })
    }
  }
}

async function tell({ recallId, stopped, tooLate }: RecallAnswer, { client }: Production) {
  if (stopped.length > 0) await client.acceptRecall(recallId, { tooLate })
  else await client.rejectRecall(recallId, 'All documents have left')
}

async function keep(run: RunInHand, answer: RecallAnswer): Promise<void> {
  const others = (run.record.recalls ?? []).filter(({ recallId }) => recallId !== answer.recallId)
  await run.save({ recalls: [...others, answer] })
}
