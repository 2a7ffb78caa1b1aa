import { confirmPosting as operation } from '@despatch/contracts/print-fulfilment/operations'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { postingRefOf } from '../posting/posting-ref-of.ts'
import { type LetterTraces, traceLetters } from '../print-run/trace-letters.ts'

/** POST /postings/{postingId}/confirm: moves its documents to DESPATCHED; callbacks follow. */
export function confirmPosting(api: Api, { db, tracing }: LetterTraces): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const ref = postingRefOf(request)
      addToLogLine(request, { postingId: ref.postingId })
      const posting = await saveConfirmation(db, ref)
      if (!posting) throw postingNotFound(ref.postingId)
      const { postingId, documentCount } = posting
      await traceLetters({ db, tracing }, request, {
        name: 'posting.confirm',
        letters: { postingId },
        facts: { 'despatch.posting.id': postingId, 'despatch.letters': documentCount },
      })
      return posting
    },
  })
}
