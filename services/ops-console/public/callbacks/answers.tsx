import { halfHourMs } from '@despatch/domain/calendar/half-hours'
import { Card, NotAvailable } from '../parts/elements.tsx'
import { duration, inShort } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { Legend, Plot } from '../parts/plot.tsx'

/** How long receivers of callbacks took to answer in the last day, by half hour. */
export function Answers({ timesToAnswer }: Facts) {
  const title = 'Time to answer'
  if (!timesToAnswer) return <NotAvailable title={title} />
  const { from, halfHours, p50Ms, p95Ms } = timesToAnswer
  const nameOf = (ms: number | null) => (ms === null ? '–' : duration(ms))
  const series = [
    { name: 'p50', ink: 'in', values: halfHours.map((each) => each.p50Ms), value: nameOf(p50Ms) },
    { name: 'p95', ink: 'work', values: halfHours.map((each) => each.p95Ms), value: nameOf(p95Ms) },
  ] as const
  return (
    <Card title={title} right={<span class="meta">Half hours, last day</span>}>
      <div class="body">
        <Plot
          label={
            p50Ms === null
              ? 'In the last day, no attempt was answered.'
              : `In the last day, half of the attempts were answered within ${nameOf(p50Ms)}, and 95% within ${nameOf(p95Ms)}.`
          }
          kind="lines"
          x={halfHours.map((_, index) => index)}
          series={series}
          nameOf={(index) => inShort(new Date(Date.parse(from) + index * halfHourMs).toISOString())}
          amountOf={duration}
        />
        <Legend entries={series.map((each) => ({ ...each, isLine: true }))} />
      </div>
    </Card>
  )
}
