import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { PrintJobAction } from '@despatch/domain/operator-action/print-job-actions'
import { useEffect } from 'preact/hooks'
import { Actions } from '../letter/actions.tsx'
import { LetterFacts } from '../letter/facts.tsx'
import { PagesCard } from '../letter/pages.tsx'
import { bannerOf, recipientOf, standingOf } from '../letter/standing.tsx'
import { Callbacks, Files } from '../letter/tables.tsx'
import { Timeline } from '../letter/timeline.tsx'
import { listOf, neighboursOf } from '../letters/neighbours.tsx'
import { ask, ownQuery, withQuery } from '../parts/api.ts'
import { Banner, Copyable, Head } from '../parts/elements.tsx'
import { announce } from '../parts/notice.ts'
import { isSending, question } from '../parts/question.tsx'
import { beginReading } from '../parts/reading.tsx'
import { start } from '../parts/shell.tsx'

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

function LetterPage() {
  const letter = reading.facts()
  useEffect(() => closeWhenImpossible(letter), [letter])
  if (!letter) {
    return (
      <>
        <Head title="Letter" crumbs={crumbs} />
        {reading.absent('Letter')}
      </>
    )
  }
  const consumer = (
    <a href={withQuery('/consumers', { consumer: letter.consumerId })}>{letter.consumerName}</a>
  )
  return (
    <>
      <Head
        title={recipientOf(letter) ?? letter.id}
        crumbs={crumbs}
        tools={neighboursOf(letter)}
        beside={
          <>
            <Copyable value={letter.id} name="letter id" />
            {consumer}
          </>
        }
      />
      <div class="stack">
        <Banner {...bannerOf(letter)} />
        {/* Actions come first in the source, so that they follow the banner on a phone and in the tab order. */}
        <div class="cols wide-left">
          <div class="act-side">
            <Actions letter={letter} show={reading.show} />
          </div>
          <div class="wide">
            <div class="stack">
              <PagesCard letter={letter} path={path} />
              <Timeline letter={letter} />
              <Callbacks letter={letter} />
              <Files letter={letter} />
            </div>
          </div>
          <div class="fact-side">
            <LetterFacts letter={letter} />
          </div>
        </div>
      </div>
    </>
  )
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
