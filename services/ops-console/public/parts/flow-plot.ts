import type { JSX } from 'preact'
import { body } from './elements.ts'
import { inShort } from './format.ts'
import type { Facts } from './live.ts'
import { type Ink, legend, plot } from './plot.ts'

type Flow = NonNullable<Facts['flow']>
type FlowSeries = readonly [of: Exclude<keyof Flow[number], 'minutesAgo'>, name: string, ink: Ink]

/** Two series of the last hour, minute by minute, with their totals. */
export function flowPlot(
  { flow, at }: { flow: Flow; at: string },
  labelOf: (first: number, second: number) => string,
  series: readonly [FlowSeries, FlowSeries],
): JSX.Element {
  const minute = Math.floor(Date.parse(at) / 60_000)
  const lines = series.map(([of, name, ink]) => {
    const values = flow.map((each) => each[of])
    return { name, ink, values, value: values.reduce((sum, value) => sum + value, 0), isLine: true }
  })
  const [first, second] = lines.map(({ value }) => value) as [number, number]
  return body(
    plot({
      label: labelOf(first, second),
      kind: 'lines',
      x: flow.map(({ minutesAgo }) => (minute - minutesAgo) * 60),
      series: lines.map(({ name, ink, values }) => ({ name, ink, values })),
      nameOf: (seconds) => inShort(new Date(seconds * 1_000).toISOString()),
    }),
    legend(lines),
  )
}
