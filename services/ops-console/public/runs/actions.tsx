import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import type { ListedPrintJobsResponse } from '@despatch/contracts/administration/print-job'
import type {
  PrintRunDetailsResponse,
  ReassignCountResponse,
  ReassignedRunResponse,
} from '@despatch/contracts/administration/print-run'
import { bulkPrintJobsMax } from '@despatch/domain/bulk-action/bulk-action'
import { actionPath, whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { reasonOfMany } from '@despatch/domain/operator-action/print-job-actions'
import {
  type PrintRunAction,
  printRunActions,
} from '@despatch/domain/operator-action/print-run-actions'
import type { JSX } from 'preact'
import { ask, given, Refusal, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Button } from '../parts/elements.tsx'
import { Check, Input, ReasonField } from '../parts/form.tsx'
import { count, countOf } from '../parts/format.ts'
import { aKey } from '../parts/key.ts'
import { askFirst, irreversible, questionOf } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { postOnBehalf } from './post-on-behalf.tsx'
import { chooseRecall, questionOfRecall } from './recalls.tsx'
import { decisionOnReprint } from './reprints.tsx'

type Run = PrintRunDetailsResponse

const pageMax = 100

/** Returns whether an action on the run is possible, as far as the page knows, for this user. */
function may(run: Run, name: PrintRunAction): boolean {
  const action = printRunActions[name]
  return whyNotForMe(action.operationId) === null && whyNotPossible(action, factsOf(run)) === null
}

function factsOf({ state, refusal, account, documentCount }: Run) {
  return {
    state,
    isRefusedAsWhole: refusal !== undefined,
    isEmpty: documentCount === 0,
    ...(account && { isAccountedFor: account.missing === 0 }),
  }
}

/** Returns the buttons of what can be done with the run now. */
export function runButtons(run: Run, again: () => unknown): JSX.Element[] {
  const { batchNumber, state, account, documentCount } = run
  const canHold = ['OPEN', 'RELEASED'].includes(state) && whyNotForMe('planBulkAction') === null
  return [
    may(run, 'release') && (
      <Button onClick={() => release(run, again)} icon="send">
        Release now…
      </Button>
    ),
    canHold && documentCount > 0 && (
      <Button onClick={() => holdLetters(batchNumber)} icon="pause">
        Hold its letters…
      </Button>
    ),
    may(run, 'move') && (
      <Button onClick={() => void attempt(() => reassign(run))}>Reassign to another site…</Button>
    ),
    may(run, 'post') && (
      <Button onClick={() => postOnBehalf(batchNumber, undefined, again)} icon="truck">
        Record a posting…
      </Button>
    ),
    may(run, 'close') && <Button onClick={() => closeOnBehalf(run, again)}>Close…</Button>,
    may(run, 'recall') && (
      <Button onClick={() => chooseRecall(batchNumber, again)} icon="undo" look="warns">
        {account ? `Recall up to ${count(account.missing)}…` : 'Recall…'}
      </Button>
    ),
  ].filter((each) => each !== false)
}

/** A document whose outcome is not known. */
export type MissingDocument = NonNullable<Run['unaccounted']>[number]

/** Returns the buttons of one missing document, the advised one first. */
export function documentButtons(
  run: Run,
  { documentId, advice, reprintId }: MissingDocument,
  again: () => unknown,
): JSX.Element[] {
  const { batchNumber } = run
  if (advice === 'decide-reprint' && reprintId) return decisionOnReprint(reprintId)
  const look = (isAdvised: boolean) => (isAdvised ? 'small' : 'small quiet')
  const buttons = [
    advice === 'move-run' && may(run, 'move') && (
      <Button
        onClick={() => void attempt(() => reassign(run))}
        look="small"
        name={`Reassign the run… with ${documentId}`}
      >
        Reassign the run…
      </Button>
    ),
    may(run, 'recall') && (
      <Button
        onClick={() =>
          void attempt(async () =>
            askFirst(await questionOfRecall(batchNumber, { documentIds: [documentId] }, again)),
          )
        }
        look={look(advice === 'recall')}
        name={`Recall 1…: document ${documentId}`}
      >
        Recall 1…
      </Button>
    ),
    may(run, 'post') && (
      <Button
        onClick={() => postOnBehalf(batchNumber, documentId, again)}
        look={look(advice === 'post')}
        name={`Record posting… of ${documentId}`}
      >
        Record posting…
      </Button>
    ),
  ].filter((each) => each !== false)
  return advice === 'post' ? buttons.reverse() : buttons
}

function release({ batchNumber, documentCount }: Run, again: () => unknown): void {
  askFirst(
    questionOf(printRunActions.release, {
      title: `Release run ${batchNumber} with ${countOf(documentCount, 'letter')} now?`,
      onSend: async () => {
        await ask('POST', actionPath(printRunActions.release, batchNumber))
        return { done: 'The print run will be released within seconds.', again }
      },
    }),
  )
}

function closeOnBehalf({ batchNumber, documentCount }: Run, again: () => unknown): void {
  askFirst(
    questionOf(printRunActions.close, {
      title: `Close run ${batchNumber} with ${countOf(documentCount, 'document')}?`,
      button: `Close with ${countOf(documentCount, 'document')}`,
      isDanger: true,
      points: [irreversible],
      onSend: async (sent) => {
        await ask('POST', actionPath(printRunActions.close, batchNumber), sent)
        return { done: 'The print run is closed.', again }
      },
    }),
  )
}

/** Counts the documents that can be reassigned, and asks. If there are more by then, none is reassigned. */
async function reassign({ batchNumber, account, state }: Run): Promise<void> {
  const path = actionPath(printRunActions.move, batchNumber)
  const counted = await ask<ReassignCountResponse>('POST', `${path}/count`)
  const expectedCount = counted.documentCount
  const documents = countOf(expectedCount, 'document')
  const mustConfirm = state === 'CLAIMED'
  askFirst(
    questionOf(printRunActions.move, {
      title: `Reassign ${documents} of run ${batchNumber}?`,
      button: `Reassign ${documents}`,
      isDanger: true,
      points: [
        account &&
          expectedCount < account.missing &&
          `Documents in a recall that is not settled are not included: ${count(account.missing - expectedCount)}.`,
        irreversible,
      ],
      ...(expectedCount > 1 && { typed: { count: expectedCount, of: 'documents' } }),
      fields: [
        <Input name="providerId" label="Provider" required />,
        <Input name="printLocation" label="Site" required />,
        mustConfirm || state === 'REFUSED' ? (
          <Check
            name="nothingPrinted"
            label="The provider has confirmed that none of it was or will be printed"
            required={mustConfirm}
          />
        ) : null,
      ],
      onSend: async ({ nothingPrinted, typed: _, ...sent }) => {
        const body = { ...sent, expectedCount, ...(nothingPrinted && { nothingPrinted: true }) }
        const moved = await ask<ReassignedRunResponse>('POST', path, body)
        location.assign(withQuery('/print-runs', { run: moved.batchNumber }))
      },
    }),
  )
}

/** Plans to hold the letters of an unclaimed run. They leave the run, and it continues without them. */
function holdLetters(batchNumber: string): void {
  // the same plan each time, so that a request that is sent again after its answer was lost makes no second one
  const bulkActionId = aKey()
  let printJobKeys: string[] = []
  askFirst({
    title: `Plan to hold the letters of run ${batchNumber}`,
    button: 'Plan to hold its letters…',
    points: [
      'The letters leave the run and wait until an operator releases them.',
      `Nothing happens until the plan is confirmed on the next page. A plan has at most ${count(bulkPrintJobsMax)} letters.`,
    ],
    fields: [<ReasonField reason={reasonOfMany} />],
    onSend: async ({ reason }) => {
      if (printJobKeys.length === 0) printJobKeys = await listLetters(batchNumber)
      if (printJobKeys.length === 0) {
        throw new Refusal(0, 'The print run has no letters that can be held.')
      }
      const plan = { bulkActionId, action: 'hold', reason, printJobKeys }
      await ask<BulkActionResponse>('POST', '/bulk-actions', plan)
      location.assign(withQuery('/bulk-actions', { bulk: bulkActionId }))
    },
  })
}

/** Returns the keys of the print jobs in the run now, at most as many as one plan allows. */
async function listLetters(batchNumber: string): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const asked = given({ find: batchNumber, status: 'PENDING', limit: pageMax, cursor })
    const page = await ask<ListedPrintJobsResponse>('POST', '/print-jobs/search', asked)
    const inIt = page.printJobs.filter((printJob) => printJob.batchNumber === batchNumber)
    keys.push(...inIt.map(({ printJobKey }) => printJobKey))
    cursor = page.nextCursor
  } while (cursor && keys.length < bulkPrintJobsMax)
  return keys.slice(0, bulkPrintJobsMax)
}
