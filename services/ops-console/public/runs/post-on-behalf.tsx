import type {
  PostedOnBehalfResponse,
  PostingCountResponse,
} from '@despatch/contracts/administration/posting-on-behalf'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import { ask, Refusal } from '../parts/api.ts'
import { Check, type Given, Input, idsIn, ReasonField } from '../parts/form.tsx'
import { count, countOf, fromLondon } from '../parts/format.ts'
import { aKey } from '../parts/key.ts'
import { askFirst, irreversible, type Question } from '../parts/question.tsx'
import type { DocumentChoice } from './recalls.tsx'

const { post } = printRunActions

/**
 * Asks what left and how, and then with the exact count. Records, on behalf of the provider, that missing documents
 * were handed to a carrier.
 */
export function postOnBehalf(
  batchNumber: string,
  chosen: string | undefined,
  onPosted: () => unknown,
): void {
  // one key for both questions, so that a request sent twice creates one posting
  const postingKey = aKey()
  askFirst({
    title: `Record a posting of ${batchNumber} on behalf of the provider`,
    button: 'Count them…',
    points: [
      'Use this if the provider is gone. While it is still in contact, only documents that it reported as too late to ' +
        'recall are accepted.',
      'Nothing is recorded until you confirm the count.',
    ],
    fields: [
      <Input
        name="documents"
        label="Documents"
        hint="Ids of the documents that have left, separated by spaces"
        value={chosen ?? ''}
      />,
      chosen ? null : <Check name="all" label="All missing documents have left" />,
      <Input name="carrier" label="Carrier" required maxLength={255} />,
      <Input
        name="handoverAt"
        label="Handed over"
        hint="London time"
        type="datetime-local"
        required
      />,
      <Input name="manifestNumber" label="Manifest number" hint="If known" maxLength={255} />,
      <ReasonField reason={post.reason!} />,
    ],
    onSend: async (given) => {
      const choice = choiceOf(given)
      const path = actionPath(post, batchNumber)
      const counted = await ask<PostingCountResponse>('POST', `${path}/count`, {
        postingKey,
        ...choice,
      })
      const expectedCount = counted.documentCount
      const documents = countOf(expectedCount, 'document')
      const next: Question = {
        title: `Record ${documents} of ${batchNumber} as DESPATCHED?`,
        button: `Record ${documents}`,
        isDanger: true,
        points: [
          `${countOf(expectedCount, 'letter')} become DESPATCHED, and their consumers are called back.`,
          irreversible,
        ],
        ...(expectedCount > 1 && { typed: { count: expectedCount, of: 'documents' } }),
        onSend: async () => {
          const body = { postingKey, ...choice, ...postingOf(given), expectedCount }
          const { documentCount } = await ask<PostedOnBehalfResponse>('POST', path, body)
          const done = `Documents recorded as despatched: ${count(documentCount)}.`
          return { done, again: onPosted }
        },
      }
      return { next }
    },
  })
}

/** Throws a Refusal unless the documents are named in exactly one way. */
function choiceOf({ documents, all }: Given): DocumentChoice {
  const documentIds = idsIn(documents)
  if (documentIds.length > 0 === (all === 'true')) {
    throw new Refusal(0, 'Name the documents that have left, or choose all missing documents.')
  }
  return all ? { all: true } : { documentIds }
}

function postingOf({ carrier = '', reason = '', handoverAt = '', manifestNumber }: Given) {
  return {
    carrier,
    reason,
    handoverAt: fromLondon(handoverAt),
    ...(manifestNumber && { manifestNumber }),
  }
}
