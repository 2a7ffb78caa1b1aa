import type { Lateness } from '@despatch/domain/print-job/lateness'
import { isFinal, printJobStatuses } from '@despatch/domain/print-job/status'
import { effect } from '@preact/signals'
import { h, type JSX } from 'preact'
import { openStatuses } from '../letters/filter.ts'
import { strip } from '../now/today.ts'
import { withQuery } from '../parts/api.ts'
import { callbackEndName, chip, statusChip, statusName } from '../parts/chips.ts'
import { body, card, head, icon, link, skeleton, time } from '../parts/elements.ts'
import { flowPlot } from '../parts/flow-plot.ts'
import { age, count, countOf, dayName } from '../parts/format.ts'
import { type Facts, facts, silence } from '../parts/live.ts'
import { announce } from '../parts/notice.ts'
import { type Ink, legend, meter, stackedBar } from '../parts/plot.ts'
import { start } from '../parts/shell.ts'
import { table } from '../parts/table.ts'
import { runsByDay } from '../runs/by-day.ts'

function NowPage(): JSX.Element[] {
  const seen = facts.value
  const today = h('span', { class: 'meta' }, dayName(seen?.at ?? new Date().toISOString()))
  const heading = head('Now', { beside: today })
  if (!seen) return [...heading, skeleton('Needs a look')]
  return [
    ...heading,
    h(
      'div',
      { class: silence.value ? 'stack stale' : 'stack' },
      needsALook(seen),
      dueToday(seen),
      strip(seen),
      h('div', { class: 'cols' }, lastHour(seen), callbacks(seen)),
      failingOrigins(seen),
      h('div', { class: 'cols' }, backlog(seen), backlogByConsumer(seen)),
      runsByDay(seen),
      failingSteps(seen),
      deadCallbacks(seen),
    ),
  ]
}

/** Each line has its age, and one action: the page where something can be done about it. */
function needsALook({ concerns }: Facts): JSX.Element {
  if (!concerns) {
    return h(
      'section',
      { class: 'card look', 'aria-label': 'Needs a look' },
      h(
        'ul',
        {},
        h(
          'li',
          { class: 'is-bad' },
          icon('rejected', 'g'),
          h(
            'div',
            {},
            h('p', { class: 'what' }, 'The database does not respond'),
            h('p', { class: 'why' }, 'The figures return when the database does.'),
          ),
        ),
      ),
    )
  }
  if (concerns.length === 0) {
    return h(
      'section',
      { class: 'card', 'aria-label': 'Needs a look' },
      h('p', { class: 'calm' }, icon('despatched', 'g'), h('b', {}, 'Nothing needs a look.')),
    )
  }
  return card(
    { title: 'Needs a look', meta: `${count(concerns.length)}, most urgent first`, class: 'look' },
    h(
      'ul',
      {},
      concerns.map(({ what, why, oldestSeconds, open, isUrgent }) =>
        h(
          'li',
          { class: isUrgent ? 'is-bad' : 'is-warn' },
          icon(isUrgent ? 'rejected' : 'parked', 'g'),
          h('div', {}, h('p', { class: 'what' }, what), h('p', { class: 'why' }, why)),
          h('span', { class: 'age' }, typeof oldestSeconds === 'number' && age(oldestSeconds)),
          open &&
            h(
              'a',
              { class: 'btn small', href: open.path, 'aria-label': `${open.text}: ${what}` },
              open.text,
            ),
        ),
      ),
    ),
  )
}

/** Whether the post of today is safe. Overdue letters are of earlier days, so the bar does not include them. */
function dueToday({ due }: Facts): JSX.Element {
  const title = 'Due today'
  if (!due) return card({ title }, body('Not available.'))
  const { date, letters, isMore } = due
  const ofToday = (lateness: Exclude<Lateness, 'overdue'>, name: string, ink: Ink) => ({
    name,
    ink,
    value: letters[lateness],
    path: lateness === 'at-risk' ? '/print-jobs?only=at-risk' : undefined,
  })
  const parts = [
    ofToday('despatched', 'Despatched', 'out'),
    ofToday('in-production', 'In production', 'work'),
    ofToday('before-production', 'Before production', 'wait'),
    ofToday('at-risk', 'At risk', 'bad'),
  ]
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const letterCount = `${countOf(total, 'letter')}${isMore ? ' or more' : ''}`
  return card(
    {
      title,
      meta: [dayName(date), ' · ', letterCount],
      right: link(withQuery('/print-jobs', { dueFrom: date, dueTo: date }), 'All due today'),
    },
    body(
      total > 0 ? stackedBar(parts) : h('p', {}, 'No letter is due today.'),
      legend(
        parts,
        h(
          'a',
          { class: 'push', href: '/print-jobs?only=overdue' },
          'Overdue from earlier days ',
          h('b', { class: letters.overdue > 0 ? 'bad' : '' }, count(letters.overdue)),
        ),
      ),
    ),
  )
}

function lastHour({ flow, at }: Facts): JSX.Element {
  if (!flow) return card({ title: 'Letters a minute' }, body('Not available.'))
  return card(
    { title: 'Letters a minute', right: h('span', { class: 'meta' }, 'Last hour') },
    flowPlot(
      { flow, at },
      (came, despatched) => {
        return `In the last hour, ${count(came)} letters were received and ${count(despatched)} despatched.`
      },
      [
        ['came', 'Received', 'in'],
        ['despatched', 'Despatched', 'out'],
      ],
    ),
  )
}

function callbacks({ figures, flow, at }: Facts): JSX.Element {
  const { callbacks: owed } = figures ?? {}
  return card(
    {
      title: 'Callbacks a minute',
      right: link('/callbacks', 'All callbacks'),
      footer: owed && [
        h('span', {}, `Due, including retries: ${count(owed.due)}`),
        owed.lateSeconds !== null && h('span', {}, `Overdue by ${age(owed.lateSeconds)}`),
        h('span', {}, `Dead in the last 24 hours: ${count(owed.deadLastDay)}`),
      ],
    },
    flow
      ? flowPlot(
          { flow, at },
          (failed, delivered) => {
            return `In the last hour, ${count(delivered)} callbacks were delivered, and ${count(failed)} attempts failed.`
          },
          [
            ['failed', 'Failed attempts', 'bad'],
            ['delivered', 'Delivered', 'out'],
          ],
          'stack',
        )
      : body('Not available.'),
  )
}

function failingOrigins({ failingOrigins: failing }: Facts): JSX.Element | null {
  if (!failing || failing.length === 0) return null
  return card(
    { title: 'Failing origins of callbacks' },
    table({
      caption: 'Failing origins of callbacks',
      columns: [
        'Origin',
        'Breaker',
        { name: 'In a row', class: 'num p2' },
        { name: 'Due', class: 'num' },
        { name: 'Dead', class: 'num' },
      ],
      rows: failing.map(({ origin, breaker, failuresInRow, due, dead }) => [
        h('a', { class: 'mono', href: withQuery('/callbacks', { origin }) }, origin),
        breaker === 'closed'
          ? chip(['alert', 'warn', 'Failing'])
          : chip(['rejected', 'bad', breaker]),
        count(failuresInRow),
        count(due),
        count(dead),
      ]),
    }),
  )
}

function backlog({ figures }: Facts): JSX.Element {
  const open = figures?.printJobs.filter(({ status }) => !isFinal(status)) ?? []
  const ordered = printJobStatuses.filter((status) => !isFinal(status))
  const most = Math.max(1, ...open.map((each) => each.count))
  const rows = ordered.map((status) => {
    const found = open.find((each) => each.status === status)
    const number = found?.count ?? 0
    return [
      h('a', { href: withQuery('/print-jobs', { status }) }, statusChip(status)),
      count(number),
      meter(number, most, statusName(status)),
      age(found?.oldestSeconds),
    ]
  })
  const { parked, held } = figures ?? {}
  if (held && held.count > 0) {
    rows.push([
      h('a', { href: '/print-jobs?only=held' }, chip(['held', 'warn', 'Held'])),
      count(held.count),
      meter(held.count, most, 'Held', 'warn'),
      age(held.oldestSeconds),
    ])
  }
  if (parked && parked.count > 0) {
    rows.push([
      h('a', { href: '/print-jobs?only=parked' }, chip(['parked', 'bad', 'Parked'])),
      count(parked.count),
      meter(parked.count, most, 'Parked', 'bad'),
      age(parked.oldestSeconds),
    ])
  }
  const total = open.reduce((sum, each) => sum + each.count, 0)
  return card(
    { title: 'Backlog by stage', right: h('span', { class: 'meta' }, countOf(total, 'letter')) },
    table({
      caption: 'Backlog by stage',
      columns: [
        'Stage',
        { name: 'Letters', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Oldest', class: 'num' },
      ],
      rows: figures && rows,
    }),
  )
}

/** The consumers with the most letters before production, so that one that fills the queues is seen. */
function backlogByConsumer({ backlogs }: Facts): JSX.Element {
  const most = Math.max(1, ...(backlogs ?? []).map(({ beforeProduction }) => beforeProduction))
  return card(
    { title: 'Backlog by consumer', right: link('/consumers', 'All consumers') },
    table({
      caption: 'Backlog by consumer',
      columns: [
        'Consumer',
        { name: 'Before production', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'In production', class: 'num' },
      ],
      rows: backlogs?.map(({ consumerId, consumerName, beforeProduction, inProduction }) => [
        link(withQuery('/print-jobs', { consumerId, status: openStatuses }), consumerName),
        count(beforeProduction),
        meter(beforeProduction, most, consumerName),
        count(inProduction),
      ]),
      empty: 'No consumer has letters that are not ended.',
    }),
  )
}

function failingSteps({ failingSteps: steps }: Facts): JSX.Element | null {
  if (steps?.length === 0) return null
  return card(
    { title: 'Failing steps' },
    table({
      caption: 'Failing steps',
      columns: [
        'Letter',
        'Status',
        'Failure',
        { name: 'Failures', class: 'num p2' },
        { name: 'Next', class: 'p2' },
        { name: 'Time', class: 'num' },
      ],
      rows: steps?.map(({ printJobId, status, failure, failures, isParked, at }) => [
        letterLink(printJobId),
        statusChip(status),
        failure,
        count(failures),
        isParked ? chip(['parked', 'bad', 'Parked']) : 'retried',
        time(at),
      ]),
    }),
  )
}

function deadCallbacks({ deadCallbacks: dead }: Facts): JSX.Element | null {
  if (dead?.length === 0) return null
  return card(
    { title: 'Latest dead callbacks', right: link('/callbacks?status=DEAD', 'All dead callbacks') },
    table({
      caption: 'Latest dead callbacks',
      columns: [
        'Says',
        'Letter',
        { name: 'Attempts', class: 'num p2' },
        { name: 'Last outcome', class: 'p2' },
        'Why it ended',
        { name: 'Time', class: 'num' },
      ],
      rows: dead?.map(
        ({ callbackId, printJobId, kind, status, attempts, outcome, httpStatus, reason, at }) => [
          link(
            withQuery('/callbacks', { callback: callbackId }),
            status ? statusName(status) : kind,
          ),
          printJobId ? letterLink(printJobId) : null,
          count(attempts),
          [outcome ?? 'not tried', httpStatus ?? ''].join(' ').trim(),
          reason && callbackEndName(reason),
          time(at),
        ],
      ),
    }),
  )
}

function letterLink(printJobId: string): JSX.Element {
  return h('a', { class: 'mono', href: withQuery('/print-jobs', { find: printJobId }) }, printJobId)
}

// The page shows the concerns; this text is for screen readers.
let wasSilent = false
effect(() => {
  const { concerns } = facts.value ?? {}
  if (silence.value) announce(silence.value, { isRefusal: true })
  else if (wasSilent) announce('')
  wasSilent = silence.value !== ''
  if (wasSilent) return
  if (!facts.value) return
  if (!concerns) return announce('The database does not respond.', { isUnseen: true })
  const names = concerns.map(({ name }) => name)
  const text = names.length === 0 ? 'No problems.' : `Problems: ${names.join('; ')}.`
  announce(text, { isUnseen: true })
})

start(NowPage)
