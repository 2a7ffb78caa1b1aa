import { withQuery } from '../parts/api.ts'
import { Chip, RunChip } from '../parts/chips.tsx'
import { Card } from '../parts/elements.tsx'
import { count, dayName, londonDate } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { Legend, Plot } from '../parts/plot.tsx'
import { Table } from '../parts/table.tsx'
import { type Day, daysOf } from './days.ts'

const series = [
  ['gathering', 'Before production', 'wait'],
  ['inProduction', 'In production', 'work'],
  ['posted', 'Posted', 'out'],
] as const

/** The runs by day: their documents as bars, also those of the last days, and the states of what is not closed. */
export function RunsByDay({
  runs,
  isOnRuns = false,
}: Pick<Facts, 'runs'> & { isOnRuns?: boolean }) {
  const open = runs?.filter(({ state }) => state !== 'CLOSED')
  return (
    <Card
      title="Runs by day of despatch"
      meta="the last seven days and what is not closed"
      right={!isOnRuns && <a href="/print-runs">All runs</a>}
    >
      {runs && runs.length > 0 && bars(daysOf(runs))}
      <Table
        caption="Runs by day of despatch"
        columns={[
          'Day',
          'State',
          { name: 'Runs', class: 'num' },
          { name: 'Letters', class: 'num' },
        ]}
        rows={open?.map(
          ({ expectedDespatchDate: day, state, runs: number, documents, isOverdue }) => [
            [nameOf(day), isOverdue && [' ', <Chip look={['clock', 'bad', 'Overdue']} />]],
            <a href={withQuery('/print-runs', { state })}>
              <RunChip state={state} />
            </a>,
            count(number),
            state === 'OPEN' ? '–' : count(documents),
          ],
        )}
        empty="No open runs. A run opens when the first letter for its day is ready."
      />
    </Card>
  )
}

function nameOf(day: string | null): string {
  if (day === null) return 'Not known yet'
  return day === londonDate(new Date()) ? 'Today' : dayName(day)
}

/** A bar leads to the letters that are due on its day. */
function bars(days: readonly Day[]) {
  const totals = series.map(([part, name, ink]) => ({
    name,
    ink,
    value: days.reduce((sum, day) => sum + day[part], 0),
  }))
  return (
    <div class="body">
      <Plot
        label={`By day of despatch: ${totals.map(({ name, value }) => `${count(value)} ${name.toLowerCase()}`).join(', ')}.`}
        kind="stack"
        x={days.map((_, index) => index)}
        series={series.map(([part, name, ink]) => ({
          name,
          ink,
          values: days.map((day) => day[part]),
        }))}
        nameOf={(index) => (days[index] ? nameOf(days[index].date) : '')}
        pathOf={(index) => {
          const date = days[index]?.date
          return date ? withQuery('/print-jobs', { dueFrom: date, dueTo: date }) : undefined
        }}
      />
      <Legend entries={totals} />
    </div>
  )
}
