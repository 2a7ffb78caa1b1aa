import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import type {
  CountPrintJobsRequest,
  ListedPrintJobResponse,
  PrintJobCountResponse,
} from '@despatch/contracts/administration/print-job'
import {
  type BulkActionKind,
  bulkActionKinds,
  bulkMatchesMax,
  bulkPrintJobsMax,
} from '@despatch/domain/bulk-action/bulk-action'
import { printJobActions, reasonOfMany } from '@despatch/domain/operator-action/print-job-actions'
import { signal } from '@preact/signals'
import { ask, withQuery } from '../parts/api.ts'
import { Button } from '../parts/elements.tsx'
import { ReasonField } from '../parts/form.tsx'
import { count, countOf } from '../parts/format.ts'
import { aKey } from '../parts/key.ts'
import { askFirst } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'

type Letter = Pick<ListedPrintJobResponse, 'printJobKey' | 'id'>
/** Everything that the filter of the list finds, with its count if it has arrived. */
type Matching = { filter: CountPrintJobsRequest; counted: PrintJobCountResponse | undefined }
/** The letters of a plan, as the API takes them. */
type Choice = { printJobKeys: readonly string[] } | { matching: CountPrintJobsRequest }

/** The keys of the selected letters, from all pages of one search. */
const selected = signal<ReadonlySet<string>>(new Set())
/** Whether everything that matches is selected, on all pages. */
const isAll = signal(false)

export function clearSelection(): void {
  selected.value = new Set()
  isAll.value = false
}

export function isSelected({ printJobKey }: Letter): boolean {
  return isAll.value || selected.value.has(printJobKey)
}

function select(letters: readonly Letter[], isOn: boolean): void {
  const keys = new Set(selected.value)
  for (const { printJobKey } of letters) {
    if (isOn) keys.add(printJobKey)
    else keys.delete(printJobKey)
  }
  selected.value = keys
}

export function boxFor(letter: Letter) {
  return (
    <input
      type="checkbox"
      checked={isSelected(letter)}
      disabled={isAll.value}
      aria-label={`Select letter ${letter.id}`}
      onChange={(event) => select([letter], event.currentTarget.checked)}
    />
  )
}

/** Returns the bar above the list: what is selected, and what can be done with it. */
export function selectionBar(shown: readonly Letter[], { filter, counted }: Matching) {
  const matches = counted?.count ?? 0
  const number = isAll.value ? matches : selected.value.size
  if (shown.length === 0 && number === 0) return null
  // the letters of all consumers at once are never meant
  const isFiltered = Object.keys(filter).length > 0
  const most = isAll.value ? bulkMatchesMax : bulkPrintJobsMax
  const choice: Choice = isAll.value ? { matching: filter } : { printJobKeys: [...selected.value] }
  return (
    <div class="selection">
      <span role="status">
        <b>{isAll.value ? `All ${count(number)} that match` : `${count(number)} selected`}</b>
      </span>
      {!isAll.value && linkish('Select all shown', () => select(shown, true))}
      {!isAll.value && isFiltered && matches > 0 && allThatMatch(counted!)}
      {number > 0 && linkish('Select none', clearSelection)}
      {number > most && <span class="meta">At most {count(most)} at once.</span>}
      {number > 0 && buttonsFor(choice, { number, isDisabled: number > most })}
    </div>
  )
}

/** Offers all that match only if one plan can include all of them. */
function allThatMatch({ count: number, isAtLeast }: PrintJobCountResponse) {
  if (isAtLeast || number > bulkMatchesMax) {
    const remark = `A plan takes at most ${count(bulkMatchesMax)}: filter for fewer.`
    return <span class="meta">{remark}</span>
  }
  return linkish(`Select all ${count(number)} that match`, () => {
    isAll.value = true
  })
}

function buttonsFor(
  choice: Choice,
  { number, isDisabled }: { number: number; isDisabled: boolean },
) {
  const whyNot = whyNotForMe('planBulkAction')
  if (whyNot) return <span class="meta">{whyNot}</span>
  return (
    <span class="right">
      {bulkActionKinds.map((action) => (
        <Button
          onClick={() => plan(action, choice, number)}
          look={action === 'cancel' ? 'small warns' : 'small'}
          isDisabled={isDisabled}
          name={`${printJobActions[action].label} ${countOf(number, 'letter')}…`}
        >
          {printJobActions[action].label}…
        </Button>
      ))}
    </span>
  )
}

function linkish(text: string, onClick: () => void) {
  return (
    <button type="button" class="linkish" onClick={onClick}>
      {text}
    </button>
  )
}

function plan(action: BulkActionKind, choice: Choice, number: number): void {
  const { label, effect } = printJobActions[action]
  const isMatching = 'matching' in choice
  // a request that is sent again, after its answer was lost, makes no second plan
  const bulkActionId = aKey()
  askFirst({
    title: `${label}: plan for ${countOf(number, 'letter')}`,
    button: 'Plan bulk action…',
    points: [
      effect,
      isMatching && 'Not included: letters that are despatched, rejected or cancelled already.',
      isMatching && 'Letters that match later are not included: the plan fixes which ones are.',
      'Nothing happens until the plan is confirmed on the next page.',
    ],
    fields: [<ReasonField reason={reasonOfMany} />],
    onSend: async ({ reason }) => {
      const body = { bulkActionId, action, reason, ...choice }
      await ask<BulkActionResponse>('POST', '/bulk-actions', body)
      location.assign(withQuery('/bulk-actions', { bulk: bulkActionId }))
    },
  })
}
