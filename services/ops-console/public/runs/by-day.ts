import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { chip, runChip } from '../parts/chips.ts'
import { body, card, link } from '../parts/elements.ts'
import { count, dayName, londonDate } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { legend, plot } from '../parts/plot.ts'
import { table } from '../parts/table.ts'
import { type Day, daysOf } from './days.ts'

const series = [
  ['gathering', 'Before production', 'wait'],
  ['inProduction', 'In production', 'work'],
  ['posted', 'Posted', 'out'],
] as const

/** Returns the runs by day: their documents as bars, also those of the last days, and the states of what is not closed. */
export function runsByDay({ runs }: Facts, { isOnRuns = false } = {}): JSX.Element {
  const open = runs?.filter(({ state }) => state !== 'CLOSED')
  return card(
    {
      title: 'Runs by day of despatch',
      meta: 'the last seven days and what is not closed',
      right: !isOnRuns && link('/print-runs', 'All runs'),
    },
    runs && runs.length > 0 && bars(daysOf(runs)),
    table({
      caption: 'Runs by day of despatch',
      columns: ['Day', 'State', { name: 'Runs', class: 'num' }, { name: 'Letters', class: 'num' }],
      rows: open?.map(
        ({ expectedDespatchDate: day, state, runs: number, documents, isOverdue }) => [
          [nameOf(day), isOverdue && [' ', chip(['clock', 'bad', 'Overdue'])]],
          h('a', { href: withQuery('/print-runs', { state }) }, runChip(state)),
          count(number),
          state === 'OPEN' ? '–' : count(documents),
        ],
      ),
      empty: 'No open runs. A run opens when the first letter for its day is ready.',
    }),
  )
}

function nameOf(day: string | null): string {
  if (day === null) return 'Not known yet'
  return day === londonDate(new Date()) ? 'Today' : dayName(day)
}

/** A bar leads to the letters that are due on its day. */
function bars(days: readonly Day[]): JSX.Element {
  const totals = series.map(([part, name, ink]) => ({
    name,
    ink,
    value: days.reduce((sum, day) => sum + day[part], 0),
  }))
  return body(
    plot({
      label: `By day of despatch: ${totals.map(({ name, value }) => `${count(value)} ${name.toLowerCase()}`).join(', ')}.`,
      kind: 'stack',
      x: days.map((_, index) => index),
      series: series.map(([part, name, ink]) => ({
        name,
        ink,
        values: days.map((day) => day[part]),
      })),
      nameOf: (index) => (days[index] ? nameOf(days[index].date) : ''),
      pathOf: (index) => {
        const date = days[index]?.date
        return date ? withQuery('/print-jobs', { dueFrom: date, dueTo: date }) : undefined
      },
    }),
    legend(totals),
  )
}
