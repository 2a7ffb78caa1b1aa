import { inShort } from './format.ts'
import type { Facts } from './live.ts'
import { type Ink, Legend, Plot } from './plot.tsx'

type Flow = NonNullable<Facts['flow']>
type FlowSeries = readonly [of: Exclude<keyof Flow[number], 'minutesAgo'>, name: string, ink: Ink]

type FlowPlotProps = {
  flow: Flow
  at: string
  labelOf: (first: number, second: number) => string
  series: readonly [FlowSeries, FlowSeries]
  kind?: 'lines' | 'stack'
}

/** Two series of the last hour, minute by minute, with their totals. Stacked, the second stands on the first. */
export function FlowPlot({ flow, at, labelOf, series, kind = 'lines' }: FlowPlotProps) {
  const minute = Math.floor(Date.parse(at) / 60_000)
  const lines = series.map(([of, name, ink]) => {
    const values = flow.map((each) => each[of])
    const value = values.reduce((sum, each) => sum + each, 0)
    return { name, ink, values, value, isLine: kind === 'lines' }
  })
  const [first, second] = lines.map(({ value }) => value) as [number, number]
  return (
    <div class="body">
      <Plot
        label={labelOf(first, second)}
        kind={kind}
        x={flow.map(({ minutesAgo }) => (minute - minutesAgo) * 60)}
        series={lines.map(({ name, ink, values }) => ({ name, ink, values }))}
        nameOf={(seconds) => inShort(new Date(seconds * 1_000).toISOString())}
      />
      <Legend entries={lines.map((each) => ({ ...each, name: `${each.name} in the hour` }))} />
    </div>
  )
}
