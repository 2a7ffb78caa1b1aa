import type { QueueCounts } from '@despatch/queue/queues'
import type { DeadCallback, FailingStep } from '@despatch/store/overview/overview'
import { findConcerns } from '../concerns.ts'
import type { Figures } from '../read-figures.ts'
import { renderAge, renderCount } from './figures.ts'
import { html, type Markup } from './html.ts'
import { pageScript, pageStyle } from './page-assets.ts'

/** What the page shows. A part that could not be read is undefined and says so. */
export type OverviewFacts = {
  now: Date
  overview: Figures | undefined
  queues: readonly Omit<QueueCounts, 'delayed'>[] | undefined
  failingSteps: readonly FailingStep[] | undefined
  deadCallbacks: readonly DeadCallback[] | undefined
}

/** Renders the one page of operations. It holds ids, classes of failure and figures; no names, no addresses. */
export function renderOverviewPage(facts: OverviewFacts): string {
  const { overview, queues, failingSteps, deadCallbacks, now } = facts
  const page = html`<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Despatch operations</title>
<link rel="icon" href="data:,">
${pageStyle}
<noscript><meta http-equiv="refresh" content="5"></noscript>
</head>
<body>
<header>
<h1>Despatch operations</h1>
<nav aria-label="Other views"><a href="/queues">Queue board</a> <a href="/metrics">Metrics</a> <a href="/health/ready">Health</a></nav>
<p id="freshness" role="status"></p>
</header>
<main>
<p class="note">As of <time datetime="${now.toISOString()}">${renderTime(now)}</time>, Coordinated Universal Time.</p>
${renderConcerns(overview)}
<div class="columns">
${renderPrintJobs(overview)}
${renderPrintRuns(overview)}
${renderCallbacks(overview)}
${renderQueues(overview, queues)}
</div>
${renderFailingSteps(failingSteps)}
${renderDead(deadCallbacks)}
</main>
${pageScript}
</body>
</html>`
  return `<!doctype html>\n${page.text}\n`
}

function renderConcerns(overview: Figures | undefined): Markup {
  if (!overview) {
    return html`<section class="concern"><h2>The database does not answer</h2><p>Figures come back when it does.</p></section>`
  }
  const concerns = findConcerns(overview)
  if (concerns.length === 0) return html`<section class="calm"><h2>Nothing is late</h2></section>`
  const items = concerns.map(({ what, why }) => html`<li><strong>${what}.</strong> ${why}</li>`)
  return html`<section class="concern"><h2>Needs a look</h2><ul>${items}</ul></section>`
}

function renderPrintJobs(overview: Figures | undefined): Markup {
  const rows = overview?.printJobs.map(({ status, count, oldestSeconds, isEstimate }) => [
    status,
    `${isEstimate ? 'about ' : ''}${renderCount(count)}`,
    renderAge(oldestSeconds),
  ])
  return renderTable({
    caption: 'Print jobs',
    columns: ['Status', 'Now', 'Longest there'],
    rows,
    note: 'Finished ones (DESPATCHED, REJECTED) are all there ever were. Beyond some ten thousand they are as PostgreSQL last estimated them, which may lag by a tenth.',
  })
}

function renderPrintRuns(overview: Figures | undefined): Markup {
  const rows = overview?.printRuns.map(({ state, count, documents, oldestSeconds }) => [
    state,
    renderCount(count),
    state === 'OPEN' ? '–' : renderCount(documents),
    renderAge(oldestSeconds),
  ])
  return renderTable({
    caption: 'Print runs',
    columns: ['State', 'Runs', 'Documents', 'Longest there'],
    rows,
    empty: 'No print run is open.',
    note: 'Documents are counted once a run is released. Closed and voided runs are left out.',
  })
}

function renderCallbacks(overview: Figures | undefined): Markup {
  const { due, lateSeconds, deadLastDay } = overview?.callbacks ?? {}
  return renderTable({
    caption: 'Callbacks',
    columns: ['Callbacks', 'Now'],
    rows: overview && [
      ['Owed, retries included', renderCount(due ?? 0)],
      ['Late by', renderAge(lateSeconds ?? null)],
      ['Given up in the last 24 hours', renderCount(deadLastDay ?? 0)],
      ['Places without an answer', renderCount(overview.shutOrigins.count)],
    ],
  })
}

function renderQueues(overview: Figures | undefined, queues: OverviewFacts['queues']): Markup {
  const rows = queues?.map(({ name, waiting, active, failed }) => [
    name,
    renderCount(waiting),
    renderCount(active),
    renderCount(failed),
  ])
  const { due = 0, later = 0, oldestSeconds = null } = overview?.outbox ?? {}
  return renderTable({
    caption: 'Queues',
    columns: ['Queue', 'Waiting', 'Active', 'Failed'],
    rows,
    note: overview
      ? `Outbox: wake-ups to carry ${renderCount(due)}, waiting for ${renderAge(oldestSeconds)}; planned ${renderCount(later)}.`
      : '',
  })
}

function renderFailingSteps(steps: readonly FailingStep[] | undefined): Markup {
  return renderTable({
    caption: 'Failing steps',
    columns: ['Print job', 'Status', 'Failure', 'Failures', 'Then', 'When'],
    rows: steps?.map(({ printJobId, status, failure, failures, isParked, at }) => [
      printJobId,
      status,
      failure ?? '–',
      renderCount(failures),
      isParked ? 'parked' : 'tried again',
      renderTime(at),
    ]),
    empty: 'No step is failing.',
  })
}

function renderDead(callbacks: readonly DeadCallback[] | undefined): Markup {
  return renderTable({
    caption: 'Callbacks given up last',
    columns: ['Callback', 'Print job', 'Told', 'Attempts', 'Last outcome', 'Why', 'When'],
    rows: callbacks?.map(
      ({ callbackId, printJobId, kind, status, attempts, outcome, httpStatus, reason, at }) => [
        callbackId,
        printJobId ?? '–',
        kind === 'status' ? (status ?? kind) : kind,
        renderCount(attempts),
        [outcome ?? 'not tried', httpStatus ?? ''].join(' ').trim(),
        reason,
        renderTime(at),
      ],
    ),
    empty: 'None was given up.',
  })
}

type Table = {
  caption: string
  columns: readonly string[]
  /** The first cell names its row. Undefined: could not be read. */
  rows: readonly (readonly string[])[] | undefined
  empty?: string
  note?: string
}

function renderTable({ caption, columns, rows, empty, note }: Table): Markup {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  const body = rows?.map(([name = '', ...cells]) => {
    const others = cells.map((cell) => html`<td>${cell}</td>`)
    return html`<tr><th scope="row">${name}</th>${others}</tr>`
  })
  const remark = rows ? (rows.length === 0 ? empty : undefined) : 'Could not be read.'
  return html`<section class="table">
<table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body ?? ''}</tbody></table>
${remark ? html`<p>${remark}</p>` : ''}${note ? html`<p class="note">${note}</p>` : ''}
</section>`
}

function renderTime(at: Date): string {
  return at.toISOString().replace('T', ' ').slice(0, 19)
}
