import type {
  ListedPrintJobsResponse,
  PrintJobCountResponse,
} from '@despatch/contracts/administration/print-job'
import { rules } from '@despatch/domain/preflight/rules'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import {
  bodyOf,
  commonViews,
  type Filter,
  filterOfAddress,
  isSame,
  openStatuses,
  savedViews,
  saveViews,
  type View,
} from '../letters/filter.ts'
import { keepOrder } from '../letters/neighbours.tsx'
import { parkedByOutage, readParked } from '../letters/parked.tsx'
import { rowsOf } from '../letters/rows.tsx'
import { clearSelection, selectionBar } from '../letters/selection.tsx'
import { ask, given, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { statusName } from '../parts/chips.tsx'
import { type Consumer, readConsumers } from '../parts/consumers.ts'
import { Button, Head, Icon } from '../parts/elements.tsx'
import { Input } from '../parts/form.tsx'
import { count, countOf, dayAfter, londonDate } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Pill } from '../parts/pill.tsx'
import { askFirst } from '../parts/question.tsx'
import { start } from '../parts/shell.tsx'
import { takeTerm } from '../parts/term.ts'

const problems = [
  ['overdue', 'Overdue'],
  ['at-risk', 'At risk'],
  ['parked', 'Parked'],
  ['held', 'Held'],
  ['failing', 'Failing'],
] as const
const statuses = [
  [openStatuses, 'Open, not ended'],
  ...printJobStatuses.map((status) => [status, statusName(status)] as const),
] as const
const rulesByNumber = Object.entries(rules).map(
  ([name, { number }]) => [number, `${number} ${name}`] as const,
)

const term = takeTerm()
const filter = signal<Filter>({ ...filterOfAddress(), ...(term && { find: term }) })
const counted = signal<PrintJobCountResponse | undefined>()
const isUncounted = signal(false)
const consumers = signal<readonly Consumer[]>([])
const saved = signal<readonly View[]>(savedViews())
const listed = beginPaging<ListedPrintJobsResponse>(
  (cursor) => {
    const order = isOldestFirst() ? { order: 'oldest' } : {}
    return ask('POST', '/print-jobs/search', given({ ...bodyOf(filter.value), ...order, cursor }))
  },
  ({ printJobs }) => `Letters shown: ${count(printJobs.length)}.`,
)

/** A search by words is ordered by the server. */
function isOldestFirst(): boolean {
  return filter.value.order === 'oldest' && !filter.value.find
}

/** Shows another filter. A search term may be a name, so it is not in the address of the page. */
function change(changed: Filter): void {
  filter.value = given({ ...filter.value, ...changed })
  const { find: _, ...addressable } = filter.value
  history.replaceState(null, '', withQuery('/print-jobs', addressable))
  clearSelection()
  begin({ isSameList: Object.keys(changed).join() === 'order' })
}

function begin({ isSameList = false } = {}): void {
  listed.begin({ isSameList })
  void attempt(countMatches)
  if (filter.value.only === 'parked') void attempt(readParked)
}

async function countMatches(): Promise<void> {
  counted.value = undefined
  isUncounted.value = false
  const asked = filter.value
  try {
    const answer = await ask<PrintJobCountResponse>('POST', '/print-jobs/count', bodyOf(asked))
    if (asked === filter.value) counted.value = answer
  } catch (error) {
    if (asked !== filter.value) return
    isUncounted.value = true
    throw error
  }
}

function LettersPage() {
  const shown = listed.answer()?.printJobs
  useEffect(() => {
    if (shown) keepOrder(shown)
  }, [shown])
  useEffect(() => {
    begin()
    void attempt(async () => {
      const all = await readConsumers()
      consumers.value = all.filter(({ roles }) => roles.includes('consumer'))
    })
  }, [])
  return (
    <>
      <Head
        title="Letters"
        tools={
          <>
            {saveButton()}
            <a class="btn" href="/bulk-actions">
              <Icon name="queues" />
              Bulk actions
            </a>
          </>
        }
      />
      {views()}
      {filters()}
      {filter.value.only === 'parked' && parkedByOutage()}
      {list()}
    </>
  )
}

/** The filters that operators use most, with what they find, and those that this operator has saved. */
function views() {
  const { figures, due, today } = facts.value ?? {}
  const letters = due?.letters
  const common = commonViews({
    dueToday: letters && Object.values(letters).reduce((sum, each) => sum + each) - letters.overdue,
    atRisk: letters?.['at-risk'],
    overdue: letters?.overdue,
    parked: figures?.parked.count,
    held: figures?.held.count,
    rejectedToday: today?.soFar.rejected,
  })
  return (
    <nav class="views" aria-label="Views">
      {[...common, ...saved.value].map(([name, view, number]) => (
        <a
          href={withQuery('/print-jobs', view)}
          aria-current={isSame(view, filter.value) ? 'page' : undefined}
        >
          {name}
          {number !== undefined && (
            <span class={number > 0 && view.only ? 'n bad' : 'n'}>{count(number)}</span>
          )}
        </a>
      ))}
    </nav>
  )
}

/** Saves the filter under a name in this browser, or forgets the view that is shown. */
function saveButton() {
  const shown = saved.value.find(([, view]) => isSame(view, filter.value))
  const keep = (views: readonly View[]) => {
    saveViews(views)
    saved.value = savedViews()
  }
  if (shown) {
    return (
      <Button onClick={() => keep(saved.value.filter((view) => view !== shown))}>
        Forget view
      </Button>
    )
  }
  return (
    <Button
      onClick={() => {
        const { find: _, ...view } = filter.value
        askFirst({
          title: 'Save this view',
          button: 'Save view',
          points: ['It is saved in this browser, without the words of the search.'],
          fields: [<Input name="name" label="Name" required maxLength={30} />],
          onSend: async ({ name = '' }) => {
            keep([...saved.value, [name, view]])
          },
        })
      }}
    >
      Save view…
    </Button>
  )
}

function filters() {
  const { find = '', status = '', only = '', consumerId = '', rule = '' } = filter.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    change({ find: String(form.get('find')).trim() })
  }
  return (
    <form class="filters" aria-label="Filter letters" onSubmit={submit}>
      <input
        class="filter-text"
        name="find"
        type="search"
        aria-label="Recipient, postcode or any id"
        placeholder="Recipient, postcode or any id"
        title={
          'Letter id, business identifier, batch number, document id, correlation id, callback id, postcode, or words of ' +
          'the recipient name, with or without the postcode'
        }
        maxLength={255}
        autoComplete="off"
        spellcheck={false}
        defaultValue={find}
      />
      <button type="submit" class="btn small">
        Find
      </button>
      <Pill
        name="Status"
        value={status}
        options={statuses}
        onChange={(value) => change({ status: value })}
      />
      <Pill
        name="Problem"
        value={only}
        options={problems}
        onChange={(value) => change({ only: value })}
      />
      {duePill()}
      {receivedPill()}
      <Pill
        name="Rule"
        value={rule}
        options={rulesByNumber}
        onChange={(value) => change({ rule: value })}
      />
      <Pill
        name="Consumer"
        value={consumerId}
        options={consumers.value.map((consumer) => [consumer.consumerId, consumer.name])}
        onChange={(value) => change({ consumerId: value })}
      />
      <p class="tally">{tally()}</p>
    </form>
  )
}

/** The options name days relative to today. The filter keeps dates, so it does not change the next day. */
function duePill() {
  const today = londonDate(new Date())
  const tomorrow = dayAfter(today)
  const options = [
    [rangeOf(today, today), 'Today'],
    [rangeOf('', today), 'Today or earlier'],
    [rangeOf(tomorrow, tomorrow), 'Tomorrow'],
    [rangeOf(today, dayAfter(today, 6)), 'Next 7 days'],
  ] as const
  const { dueFrom, dueTo } = filter.value
  return (
    <Pill
      name="Due"
      value={rangeOf(dueFrom, dueTo)}
      options={options}
      onChange={(value) => {
        const [from = '', to = ''] = value.split(' to ')
        change({ dueFrom: from, dueTo: to })
      }}
    />
  )
}

function receivedPill() {
  const today = londonDate(new Date())
  const yesterday = dayAfter(today, -1)
  const options = [
    [rangeOf(today, ''), 'Today'],
    [rangeOf(yesterday, yesterday), 'Yesterday'],
    [rangeOf(dayAfter(today, -6), ''), 'Last 7 days'],
    [rangeOf(dayAfter(today, -29), ''), 'Last 30 days'],
  ] as const
  const { createdFrom, createdTo } = filter.value
  return (
    <Pill
      name="Received"
      value={rangeOf(createdFrom, createdTo)}
      options={options}
      onChange={(value) => {
        const [from = '', to = ''] = value.split(' to ')
        change({ createdFrom: from, createdTo: to })
      }}
    />
  )
}

function rangeOf(from = '', to = ''): string {
  return from || to ? `${from} to ${to}` : ''
}

function tally(): JSX.Element[] | string {
  if (isUncounted.value) return 'Not counted'
  if (!counted.value) return 'Counting …'
  const { count: number, isAtLeast } = counted.value
  const verb = number === 1 ? 'matches' : 'match'
  return [
    <b>
      {countOf(number, 'letter')}
      {isAtLeast ? ' or more' : ''}
    </b>,
    <span> {verb}</span>,
  ]
}

function list() {
  const answer = listed.answer()
  if (!answer) return listed.absent('Letters')
  const matching = { filter: bodyOf(filter.value), counted: counted.value }
  const reverse = () => change({ order: isOldestFirst() ? '' : 'oldest' })
  return (
    <section class="card" aria-label="Letters">
      {selectionBar(answer.printJobs, matching)}
      {rowsOf(answer.printJobs, {
        isOldestFirst: isOldestFirst(),
        reverse: filter.value.find ? undefined : reverse,
      })}
      {answer.isIndexing && (
        <p class="empty">Older letters are still being indexed and are not found by name yet.</p>
      )}
      {listed.footer(
        isOldestFirst() ? { order: 'oldest first', back: 'Older', onward: 'Newer' } : {},
      )}
    </section>
  )
}

start(LettersPage)
