import type { PrintRunSummariesResponse } from '@despatch/contracts/administration/print-run'
import { printRunStates } from '@despatch/domain/print-run/state'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Chip, RunChip, runStateName } from '../parts/chips.tsx'
import { Head, Time } from '../parts/elements.tsx'
import { count, countOf, dayName, londonDate } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Pill } from '../parts/pill.tsx'
import { Table } from '../parts/table.tsx'
import { RunsByDay } from './by-day.tsx'
import { isOverdue } from './overdue.ts'
import { Recalls, readRecalls } from './recalls.tsx'
import { readReprints, WaitingReprints } from './reprints.tsx'
import { readSites, Sites } from './sites.tsx'

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
export function RunsPage() {
  useEffect(() => {
    listed.begin()
    void attempt(readReprints)
    void attempt(() => readRecalls())
    void attempt(readSites)
  }, [])
  return (
    <>
      <Head title="Runs" />
      <div class="stack">
        <WaitingReprints />
        <Recalls title="Unanswered recalls" onSettled={() => readRecalls()} />
        {facts.value && <RunsByDay runs={facts.value.runs} isOnRuns />}
        <div>
          {filters()}
          {list()}
        </div>
        <Sites />
      </div>
    </>
  )
}

function filters() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name)).trim()
    const run = text('run')
    if (run) return location.assign(withQuery('/print-runs', { run }))
    choose({ ...filter.value, providerId: text('providerId') })
  }
  return (
    <form class="filters" aria-label="Choose print runs" onSubmit={submit}>
      <Pill
        name="State"
        value={filter.value.state ?? ''}
        options={printRunStates.map((each) => [each, runStateName(each)])}
        onChange={(chosen) => choose({ ...filter.value, state: chosen })}
      />
      <input
        class="filter-text"
        name="providerId"
        aria-label="Provider"
        placeholder="Provider"
        defaultValue={filter.value.providerId ?? ''}
      />
      <input class="filter-text" name="run" aria-label="Batch number" placeholder="Batch number" />
      <button type="submit" class="btn small">
        Show
      </button>
    </form>
  )
}

function list() {
  const runs = listed.answer()?.printRuns
  if (!runs) return listed.absent('Runs')
  return (
    <section class="card" aria-label="Print runs">
      <Table
        caption="Print runs"
        columns={[
          'Run',
          'State',
          { name: 'Provider, site', class: 'p2' },
          { name: 'Letters', class: 'num p2' },
          'Despatch',
          { name: 'Opened', class: 'num p2' },
          { name: 'Cut-off or lease', class: 'num p3' },
          { name: 'Problem', class: 'p2' },
        ]}
        rows={runs.map((run) => [
          [
            <a class="mono" href={withQuery('/print-runs', { run: run.batchNumber })}>
              {run.batchNumber}
            </a>,
            <span class="sub only-s">
              {run.providerId}, {run.printLocation}, {countOf(run.documentCount, 'letter')}
            </span>,
            <span class="only-s">{problemsOf(run)}</span>,
          ],
          <RunChip state={run.state} />,
          [run.providerId, <span class="sub">{run.printLocation}</span>],
          count(run.documentCount),
          despatchDay(run),
          <Time at={run.openedAt} />,
          <Time at={run.cutOffAt ?? run.leaseUntil} />,
          problemsOf(run),
        ])}
        empty="No run matches. Choose another state, or any."
      />
      {listed.footer()}
    </section>
  )
}

function despatchDay({ expectedDespatchDate }: Run) {
  if (!expectedDespatchDate) return null
  const isToday = expectedDespatchDate === londonDate(new Date())
  return <span class="nowrap">{isToday ? 'Today' : dayName(expectedDespatchDate)}</span>
}

function problemsOf(run: Run) {
  const chips = [
    isOverdue(run) && <Chip look={['clock', 'bad', 'Overdue']} />,
    run.waitingReprintCount > 0 && (
      <Chip look={['people', 'info', `${countOf(run.waitingReprintCount, 'reprint')} waiting`]} />
    ),
    (run.releaseFailureCount ?? 0) > 0 && (
      <Chip
        look={['alert', 'bad', `Release failed ${countOf(run.releaseFailureCount!, 'time')}`]}
      />
    ),
  ].filter((each) => each !== false)
  return chips.length > 0 ? <span class="chips">{chips}</span> : null
}
