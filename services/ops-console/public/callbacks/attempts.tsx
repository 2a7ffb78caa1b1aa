import { halfHourMs } from '@despatch/domain/calendar/half-hours'
import { Card, NotAvailable } from '../parts/elements.tsx'
import { count, inShort } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { Legend, Plot } from '../parts/plot.tsx'

/** The attempts of the last day by half hour: how many delivered their callback, and how many failed. */
export function Attempts({ attempts }: Facts) {
  const title = 'Delivered and failed'
  if (!attempts) return <NotAvailable title={title} />
  const { from, delivered, failed } = attempts
  const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const series = [
    { name: 'Failed attempts', ink: 'bad', values: failed, value: totalOf(failed) },
    { name: 'Delivered', ink: 'out', values: delivered, value: totalOf(delivered) },
  ] as const
  return (
    <Card title={title} right={<span class="meta">Half hours, last day</span>}>
      <div class="body">
        <Plot
          label={`In the last day, ${count(series[1].value)} callbacks were delivered, and ${count(series[0].value)} attempts failed.`}
          kind="stack"
          x={delivered.map((_, index) => index)}
          series={series}
          nameOf={(index) => inShort(new Date(Date.parse(from) + index * halfHourMs).toISOString())}
        />
        <Legend entries={[series[1], series[0]]} />
      </div>
    </Card>
  )
}
