import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { PrintJobAction } from '@despatch/domain/operator-action/print-job-actions'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { actionsOf } from '../letter/actions.ts'
import { factsOf } from '../letter/facts.ts'
import { pagesOf } from '../letter/pages.ts'
import { bannerOf, recipientOf, standingOf } from '../letter/standing.ts'
import { callbacksOf, filesOf } from '../letter/tables.ts'
import { timelineOf } from '../letter/timeline.ts'
import { listOf, neighboursOf } from '../letters/neighbours.ts'
import { ask, ownQuery, withQuery } from '../parts/api.ts'
import { banner, copyable, head, link } from '../parts/elements.ts'
import { announce } from '../parts/notice.ts'
import { isSending, question } from '../parts/question.ts'
import { beginReading } from '../parts/reading.ts'
import { start } from '../parts/shell.ts'

type Letter = PrintJobDetailsResponse

const { key = '' } = ownQuery()
const path = `/print-jobs/${encodeURIComponent(key)}`
const crumbs = [{ path: listOf(key), title: 'Letters' }]

const reading = beginReading<Letter>({
  read: () => ask('GET', path),
  standing: standingOf,
  mayChange,
})

function mayChange({ deletedAt, callbacks, status }: Letter): boolean {
  if (deletedAt) return false
  const isOwed = callbacks.some((callback) => ['DUE', 'WAITING'].includes(callback.status))
  return isOwed || !['DESPATCHED', 'REJECTED'].includes(status)
}

function LetterPage(): JSX.Element | JSX.Element[] {
  const letter = reading.facts()
  useEffect(() => closeWhenImpossible(letter), [letter])
  if (!letter) return [...head('Letter', { crumbs }), reading.absent('Letter')]
  const consumer = link(
    withQuery('/consumers', { consumer: letter.consumerId }),
    letter.consumerName,
  )
  return [
    ...head(recipientOf(letter) ?? letter.id, {
      crumbs,
      tools: neighboursOf(letter),
      beside: [copyable(letter.id, 'letter id'), consumer],
    }),
    h(
      'div',
      { class: 'stack' },
      banner(bannerOf(letter)),
      // Actions come first in the source, so that they follow the banner on a phone and in the tab order.
      h(
        'div',
        { class: 'cols wide-left' },
        h('div', { class: 'act-side' }, actionsOf(letter, reading.show)),
        h(
          'div',
          { class: 'wide' },
          h(
            'div',
            { class: 'stack' },
            pagesOf(letter, path),
            timelineOf(letter),
            callbacksOf(letter),
            filesOf(letter),
          ),
        ),
        h('div', { class: 'fact-side' }, factsOf(letter)),
      ),
    ),
  ]
}

/** Somebody else may have acted, or the letter may have moved on, while the operator is being asked. */
function closeWhenImpossible(letter: Letter | undefined): void {
  // what is being sent may be the change itself
  if (isSending.value) return
  const asked = question.value?.key as PrintJobAction | undefined
  const judged = letter?.actions.find(({ action }) => action === asked)
  if (!judged || judged.isPossible) return
  question.value = undefined
  announce(`No longer possible. ${judged.whyNot ?? ''}`.trim(), { isRefusal: true })
}

start(LetterPage)
