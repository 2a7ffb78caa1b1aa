import type { ConsumersResponse } from '@despatch/contracts/administration/consumer'
import type {
  ListedPrintJobsResponse,
  ListPrintJobsRequest,
} from '@despatch/contracts/administration/print-job'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { parkedByOutage, readParked } from '../letters/parked.ts'
import { rowsOf } from '../letters/rows.ts'
import { clearSelection, selectionBar } from '../letters/selection.ts'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { statusName } from '../parts/chips.ts'
import { head, icon, skeleton } from '../parts/elements.ts'
import { count, countOf } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.ts'
import { pill } from '../parts/pill.ts'
import { start } from '../parts/shell.ts'
import { takeTerm } from '../parts/term.ts'

type Filter = Pick<ListPrintJobsRequest, 'find' | 'status' | 'only' | 'consumerId'>

const problems = [
  ['parked', 'Parked'],
  ['held', 'Held'],
  ['failing', 'Failing'],
] as const

const query = ownQuery()
const filter = signal<Filter>(
  given({ ...query, find: takeTerm() ?? query.find, cursor: undefined }) as Filter,
)
const listed = beginPaging<ListedPrintJobsResponse>(
  (cursor) => ask('POST', '/print-jobs/search', given({ ...filter.value, cursor })),
  ({ printJobs }) => `Letters shown: ${count(printJobs.length)}.`,
)
const consumers = signal<ConsumersResponse['consumers']>([])

/** Shows another filter. A search term may be a name, so it is not in the address of the page. */
function choose(changed: Filter): void {
  const { find: _, ...addressable } = changed
  history.replaceState(null, '', withQuery('/print-jobs', addressable))
  filter.value = changed
  clearSelection()
  begin()
}

function begin(): void {
  listed.begin()
  if (filter.value.only === 'parked') void attempt(readParked)
}

function LettersPage(): (JSX.Element | null)[] {
  useEffect(() => {
    begin()
    void attempt(async () => {
      const answer = await ask<ConsumersResponse>('GET', '/consumers?limit=100')
      consumers.value = answer.consumers.filter(({ roles }) => roles.includes('consumer'))
    })
  }, [])
  return [
    ...head('Letters', {
      tools: h('a', { class: 'btn', href: '/bulk-actions' }, icon('queues'), 'Bulk actions'),
    }),
    views(),
    filters(),
    ...(filter.value.only === 'parked' ? [parkedByOutage()] : []),
    list(),
  ]
}

/** The filters that operators use most, with what they find. */
function views(): JSX.Element {
  const { figures } = facts.value ?? {}
  const sum = (statuses: readonly string[]) =>
    figures?.printJobs
      .filter(({ status }) => statuses.includes(status))
      .reduce((total, { count: jobs }) => total + jobs, 0)
  const all: readonly (readonly [string, Filter, number | undefined])[] = [
    ['All', {}, undefined],
    ...printJobStatuses.map((status) => [statusName(status), { status }, sum([status])] as const),
    ['Held', { only: 'held' }, undefined],
    ['Parked', { only: 'parked' }, figures?.parked.count],
    ['Failing', { only: 'failing' }, undefined],
  ]
  const current = JSON.stringify(given({ ...filter.value, find: undefined }))
  return h(
    'nav',
    { class: 'views', 'aria-label': 'Views' },
    all.map(([name, view, number]) =>
      h(
        'a',
        {
          href: withQuery('/print-jobs', view),
          'aria-current': JSON.stringify(view) === current ? 'page' : undefined,
        },
        name,
        number !== undefined &&
          h('span', { class: name === 'Parked' && number > 0 ? 'n bad' : 'n' }, count(number)),
      ),
    ),
  )
}

function filters(): JSX.Element {
  const { find = '', status = '', only = '', consumerId = '' } = filter.value
  const change = (changed: Record<string, string | undefined>) =>
    choose(given({ ...filter.value, ...changed }) as Filter)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    change({ find: String(form.get('find')).trim() })
  }
  return h(
    'form',
    { class: 'filters', 'aria-label': 'Filter letters', onSubmit: submit },
    h('input', {
      class: 'filter-text',
      name: 'find',
      type: 'search',
      'aria-label': 'Recipient, postcode or any id',
      placeholder: 'Recipient, postcode or any id',
      title:
        'Letter id, business identifier, batch number, document id, correlation id, callback id, postcode, or words of ' +
        'the recipient name, with or without the postcode',
      maxLength: 255,
      autoComplete: 'off',
      spellcheck: false,
      value: find,
    }),
    pill(
      'Status',
      status,
      printJobStatuses.map((value) => [value, statusName(value)]),
      (value) => change({ status: value }),
    ),
    pill('Problem', only, problems, (value) => change({ only: value })),
    pill(
      'Consumer',
      consumerId,
      consumers.value.map((consumer) => [consumer.consumerId, consumer.name]),
      (value) => change({ consumerId: value }),
    ),
    h('button', { type: 'submit', class: 'btn small' }, 'Find'),
    h(
      'p',
      { class: 'tally' },
      listed.answer() && `${countOf(listed.answer()!.printJobs.length, 'letter')} on this page`,
    ),
  )
}

function list(): JSX.Element {
  const answer = listed.answer()
  if (!answer) return skeleton('Letters')
  return h(
    'section',
    { class: 'card', 'aria-label': 'Letters' },
    selectionBar(answer.printJobs),
    rowsOf(answer.printJobs),
    answer.isIndexing &&
      h(
        'p',
        { class: 'empty' },
        'Older letters are still being indexed and are not found by name yet.',
      ),
    listed.footer(),
  )
}

start(LettersPage)
