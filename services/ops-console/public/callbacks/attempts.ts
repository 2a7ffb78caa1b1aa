import { halfHourMs } from '@despatch/domain/calendar/half-hours'
import { h, type JSX } from 'preact'
import { body, card } from '../parts/elements.ts'
import { count, inShort } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { legend, plot } from '../parts/plot.ts'

/** Returns the attempts of the last day by half hour: how many delivered their callback, and how many failed. */
export function attemptsCard({ attempts }: Facts): JSX.Element {
  const title = 'Delivered and failed'
  if (!attempts) return card({ title }, body('Not available.'))
  const { from, delivered, failed } = attempts
  const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const series = [
    { name: 'Failed attempts', ink: 'bad', values: failed, value: totalOf(failed) },
    { name: 'Delivered', ink: 'out', values: delivered, value: totalOf(delivered) },
  ] as const
  return card(
    { title, right: h('span', { class: 'meta' }, 'Half hours, last day') },
    body(
      plot({
        label: `In the last day, ${count(series[1].value)} callbacks were delivered, and ${count(series[0].value)} attempts failed.`,
        kind: 'stack',
        x: delivered.map((_, index) => index),
        series,
        nameOf: (index) => inShort(new Date(Date.parse(from) + index * halfHourMs).toISOString()),
      }),
      legend([series[1], series[0]]),
    ),
  )
}
