import type {
  RecallCountResponse,
  RecallResultResponse,
} from '@despatch/contracts/administration/print-run'
import type {
  RecallResponse,
  RecallsResponse,
  SettlementCountResponse,
} from '@despatch/contracts/administration/recall'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { ask, Refusal, withQuery } from '../parts/api.ts'
import { Button, Time } from '../parts/elements.tsx'
import { Check, Input, idsIn, ReasonField } from '../parts/form.tsx'
import { count, countOf } from '../parts/format.ts'
import { askFirst, irreversible, type Question, questionOf } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { TableCard } from '../parts/table.tsx'

const { recall } = printRunActions
const read = signal<readonly RecallResponse[]>([])

/** Reads the recalls of one run, or those of all runs that no provider has answered. */
export async function readRecalls(batchNumber?: string): Promise<void> {
  const of = batchNumber ? { batchNumber } : { state: 'OPEN' }
  read.value = (await ask<RecallsResponse>('GET', withQuery('/recalls', of))).recalls
}

type RecallsProps = { title: string; onSettled: () => unknown }

/** The recalls that have been read. Nothing if there are none. */
export function Recalls({ title, onSettled }: RecallsProps) {
  const recalls = read.value
  if (recalls.length === 0) return null
  return (
    <TableCard
      title={title}
      meta={count(recalls.length)}
      columns={[
        'Run',
        { name: 'Provider', class: 'p2' },
        { name: 'Letters', class: 'num' },
        'Why',
        { name: 'Asked', class: 'num p2' },
        { name: 'Answer', class: 'act wrap' },
      ]}
      rows={recalls.map((asked) => [
        <a class="mono" href={withQuery('/print-runs', { run: asked.batchNumber })}>
          {asked.batchNumber}
        </a>,
        asked.providerId,
        count(asked.documentCount),
        asked.reason,
        <Time at={asked.requestedAt} />,
        answerTo(asked, onSettled),
      ])}
    />
  )
}

function answerTo(asked: RecallResponse, onSettled: () => unknown): JSX.Element | string {
  const { state, recalledCount, tooLateCount, batchNumber } = asked
  if (state !== 'OPEN') return `${count(recalledCount)} recalled, ${count(tooLateCount)} too late`
  const whyNot = whyNotForMe(settleRecall.operationId)
  if (whyNot) return whyNot
  const number = asked.stoppableCount ?? asked.documentCount
  return (
    <Button
      onClick={() => settle(asked, onSettled)}
      look="small"
      name={`Settle ${count(number)}… of the recall of ${batchNumber}`}
    >
      Settle {count(number)}…
    </Button>
  )
}

/** Answers on behalf of the provider: first which documents have left, then the exact counts. */
function settle(asked: RecallResponse, onSettled: () => unknown): void {
  const { recallId, batchNumber } = asked
  askFirst({
    title: `Settle the recall of ${batchNumber}`,
    button: 'Continue…',
    points: [settleRecall.effect, 'Nothing is recorded until you confirm the counts.'],
    fields: [
      <Input
        name="tooLate"
        label="Too late for"
        hint="Documents that have left, separated by spaces. The others are recalled and rejected"
      />,
      <Check name="allStopped" label="None of the documents has left" />,
      <ReasonField reason={settleRecall.reason!} />,
    ],
    onSend: async ({ tooLate, allStopped, note }) => {
      const left = idsIn(tooLate)
      if (left.length > 0 === (allStopped === 'true')) {
        throw new Refusal(0, 'Name the documents that have left, or say that none has left.')
      }
      const choice = left.length > 0 ? { tooLate: left } : { allStopped: true }
      const path = actionPath(settleRecall, recallId)
      const counted = await ask<SettlementCountResponse>('POST', `${path}/count`, choice)
      const { documentCount: expectedCount, tooLateCount } = counted
      const documents = countOf(expectedCount, 'document')
      const next: Question = {
        title: `Recall ${documents} of ${batchNumber}?`,
        button: `Recall ${documents}`,
        isDanger: true,
        points: [
          `${countOf(expectedCount, 'letter')} become REJECTED and their consumers are called back.`,
          tooLateCount > 0 && `Not included, because too late: ${count(tooLateCount)}.`,
          irreversible,
        ],
        ...(expectedCount > 1 && { typed: { count: expectedCount, of: 'documents' } }),
        onSend: async () => {
          const body = { ...choice, note, expectedCount }
          const settled = await ask<RecallResponse>('POST', path, body)
          return {
            done: `The recall of ${batchNumber} is settled: ${count(settled.recalledCount)} recalled, ${count(settled.tooLateCount)} too late.`,
            again: onSettled,
          }
        },
      }
      return { next }
    },
  })
}

export type DocumentChoice = { all: true } | { documentIds: string[] }

/** Asks which documents to recall. */
export function chooseRecall(batchNumber: string, onRecalled: () => unknown): void {
  askFirst({
    title: `Recall documents of ${batchNumber}`,
    button: 'Count them…',
    points: ['Nothing is recalled until you confirm the count.'],
    fields: [
      <Input name="documents" label="Documents" hint="Ids of the documents, separated by spaces" />,
      <Check name="all" label="All documents that are not reconciled" />,
    ],
    onSend: async ({ documents, all }) => {
      const documentIds = idsIn(documents)
      if (documentIds.length > 0 === (all === 'true')) {
        throw new Refusal(0, 'Name the documents, or choose all that are not reconciled.')
      }
      const choice = all ? { all: true as const } : { documentIds }
      return { next: await questionOfRecall(batchNumber, choice, onRecalled) }
    },
  })
}

/** Counts the chosen documents, and returns the question with this count. If there are more by then, none is recalled. */
export async function questionOfRecall(
  batchNumber: string,
  choice: DocumentChoice,
  onRecalled: () => unknown,
): Promise<Question> {
  const path = actionPath(recall, batchNumber)
  const counted = await ask<RecallCountResponse>('POST', `${path}/count`, choice)
  const expectedCount = counted.documentCount
  const documents = countOf(expectedCount, 'document')
  return questionOf(recall, {
    title: `Recall ${documents} of run ${batchNumber}?`,
    button: `Recall ${documents}`,
    isDanger: true,
    points: [
      'Each letter that is stopped becomes REJECTED, and its consumer is called back. A letter that has left already is still delivered.',
      'documentIds' in choice
        ? `Only ${choice.documentIds.join(', ')}. The others are not touched.`
        : null,
      irreversible,
    ],
    ...(expectedCount > 1 && { typed: { count: expectedCount, of: 'documents' } }),
    onSend: async ({ reason }) => {
      const body = { ...choice, reason, expectedCount }
      const { recallId, documentCount } = await ask<RecallResultResponse>('POST', path, body)
      const recalled = countOf(documentCount, 'document')
      const done = recallId
        ? `The provider is asked to stop ${recalled}.`
        : `Recalled: ${recalled}.`
      return { done, again: onRecalled }
    },
  })
}
