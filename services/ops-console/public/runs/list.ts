import type { PrintRunSummariesResponse } from '@despatch/contracts/administration/print-run'
import { printRunStates } from '@despatch/domain/print-run/state'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { chip, runChip, runStateName } from '../parts/chips.ts'
import { head, time } from '../parts/elements.ts'
import { count, countOf, dayName, londonDate } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.ts'
import { pill } from '../parts/pill.ts'
import { table } from '../parts/table.ts'
import { runsByDay } from './by-day.ts'
import { isOverdue } from './overdue.ts'
import { readRecalls, recallsCard } from './recalls.ts'
import { readReprints, waitingReprints } from './reprints.ts'
import { readSites, sitesCard } from './sites.ts'

type Run = PrintRunSummariesResponse['printRuns'][number]
type Filter = { state?: string; providerId?: string }

const { state, providerId } = ownQuery()
const filter = signal<Filter>(given({ state, providerId }))
const listed = beginPaging<PrintRunSummariesResponse>(
  (cursor) => ask('GET', withQuery('/print-runs', { ...filter.value, cursor })),
  ({ printRuns }) => `Print runs shown: ${count(printRuns.length)}.`,
)

function choose(changed: Filter): void {
  filter.value = given(changed)
  history.replaceState(null, '', withQuery('/print-runs', filter.value))
  listed.begin()
}

/** The runs of all providers, and what waits for a person in any of them. */
export function RunsPage(): JSX.Element[] {
  useEffect(() => {
    listed.begin()
    void attempt(readReprints)
    void attempt(() => readRecalls())
    void attempt(readSites)
  }, [])
  return [
    ...head('Runs'),
    h(
      'div',
      { class: 'stack' },
      waitingReprints(),
      recallsCard('Unanswered recalls', () => readRecalls()),
      facts.value && runsByDay(facts.value, { isOnRuns: true }),
      h('div', {}, filters(), list()),
      sitesCard(),
    ),
  ]
}

function filters(): JSX.Element {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name)).trim()
    const run = text('run')
    if (run) return location.assign(withQuery('/print-runs', { run }))
    choose({ ...filter.value, providerId: text('providerId') })
  }
  return h(
    'form',
    { class: 'filters', 'aria-label': 'Choose print runs', onSubmit: submit },
    pill(
      'State',
      filter.value.state ?? '',
      printRunStates.map((each) => [each, runStateName(each)]),
      (chosen) => choose({ ...filter.value, state: chosen }),
    ),
    h('input', {
      class: 'filter-text',
      name: 'providerId',
      'aria-label': 'Provider',
      placeholder: 'Provider',
      defaultValue: filter.value.providerId ?? '',
    }),
    h('input', {
      class: 'filter-text',
      name: 'run',
      'aria-label': 'Batch number',
      placeholder: 'Batch number',
    }),
    h('button', { type: 'submit', class: 'btn small' }, 'Show'),
  )
}

function list(): JSX.Element {
  const runs = listed.answer()?.printRuns
  if (!runs) return listed.absent('Runs')
  return h(
    'section',
    { class: 'card', 'aria-label': 'Print runs' },
    table({
      caption: 'Print runs',
      columns: [
        'Run',
        'State',
        { name: 'Provider, site', class: 'p2' },
        { name: 'Letters', class: 'num p2' },
        'Despatch',
        { name: 'Opened', class: 'num p2' },
        { name: 'Cut-off or lease', class: 'num p3' },
        { name: 'Problem', class: 'p2' },
      ],
      rows: runs.map((run) => [
        [
          h(
            'a',
            { class: 'mono', href: withQuery('/print-runs', { run: run.batchNumber }) },
            run.batchNumber,
          ),
          h(
            'span',
            { class: 'sub only-s' },
            `${run.providerId}, ${run.printLocation}, ${countOf(run.documentCount, 'letter')}`,
          ),
          h('span', { class: 'only-s' }, problemsOf(run)),
        ],
        runChip(run.state),
        [run.providerId, h('span', { class: 'sub' }, run.printLocation)],
        count(run.documentCount),
        despatchDay(run),
        time(run.openedAt),
        time(run.cutOffAt ?? run.leaseUntil),
        problemsOf(run),
      ]),
      empty: 'No run matches. Choose another state, or any.',
    }),
    listed.footer(),
  )
}

function despatchDay({ expectedDespatchDate }: Run) {
  if (!expectedDespatchDate) return null
  const isToday = expectedDespatchDate === londonDate(new Date())
  return h('span', { class: 'nowrap' }, isToday ? 'Today' : dayName(expectedDespatchDate))
}

function problemsOf(run: Run): JSX.Element | null {
  const chips = [
    isOverdue(run) && chip(['clock', 'bad', 'Overdue']),
    run.waitingReprintCount > 0 &&
      chip(['people', 'info', `${countOf(run.waitingReprintCount, 'reprint')} waiting`]),
    (run.releaseFailureCount ?? 0) > 0 &&
      chip(['alert', 'bad', `Release failed ${countOf(run.releaseFailureCount!, 'time')}`]),
  ].filter((each) => each !== false)
  return chips.length > 0 ? h('span', { class: 'chips' }, chips) : null
}
