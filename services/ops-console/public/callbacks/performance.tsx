import type { CallbackPerformanceResponse } from '@despatch/contracts/administration/callback-performance'
import { ask, withQuery } from '../parts/api.ts'
import { Chip, type Look } from '../parts/chips.tsx'
import { Card, Time } from '../parts/elements.tsx'
import { count, countOf, duration } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Spark } from '../parts/spark.tsx'
import { Table } from '../parts/table.tsx'
import { type Performance, successOf, type Tone, trendOf, worstFirst } from './success.ts'

export const performances = beginPaging<CallbackPerformanceResponse>(
  (cursor) => ask('GET', withQuery('/callback-performance', { cursor })),
  ({ consumers }) => `Success of ${countOf(consumers.length, 'consumer')}.`,
)

/** Returns how well the receivers of callbacks answered in the last day, and how fast. */
export function performanceCard() {
  const answer = performances.answer()
  if (!answer) return performances.absent('Success and time to answer')
  const { consumers, from } = answer
  const isPart = consumers.some((consumer) => consumer.isPart)
  const isAll = !performances.hasOthers()
  return (
    <Card
      title="Success and time to answer"
      meta={
        <>
          since <Time at={from} />
          {isAll ? ', worst first' : ', worst of this page first'}
        </>
      }
    >
      <Table
        caption="Success and time to answer"
        columns={[
          'Origin, consumer',
          { name: 'State', class: 'p2' },
          { name: 'Success', class: 'num' },
          { name: '24 h', class: 'p3' },
          { name: 'Attempts', class: 'num p3' },
          { name: 'p50 / p95', class: 'num p2' },
          { name: 'Open', class: 'num p2' },
          { name: 'Delivered', class: 'num p2' },
          { name: 'Dead', class: 'num' },
        ]}
        rows={worstFirst(consumers).map(rowOf)}
        empty="No callback was created in the last day."
      />
      {isPart && <footer>* only the newest callbacks of this consumer are counted</footer>}
      {!isAll &&
        performances.footer({ order: 'by consumer', back: 'Previous', onward: 'Next consumers' })}
    </Card>
  )
}

function stateOf({ breaker }: Performance, tone: Tone): Look {
  if (breaker === 'open') return ['rejected', 'bad', 'Not answering']
  if (breaker === 'half-open') return ['alert', 'warn', 'Trying one']
  return tone === 'warn' || tone === 'bad'
    ? ['alert', 'warn', 'Some attempts fail']
    : ['despatched', 'ok', 'Answering']
}

function rowOf(row: Performance) {
  const { origin, consumerId, name } = row
  const { text, tone } = successOf(row)
  const trend = trendOf(row.halfHours)
  const listOf = (status: string) => withQuery('/callbacks', { origin, consumerId, status })
  const all = withQuery('/callbacks', { origin, consumerId })
  const mark = tone === 'warn' || tone === 'bad' ? `${tone} strong` : ''
  const linked = (number: number, status: string, what: string) =>
    number === 0 ? (
      count(0)
    ) : (
      <a href={listOf(status)}>
        {count(number)}
        <span class="vh">
          {' '}
          {what}, {name}
        </span>
      </a>
    )
  return [
    [
      <a class="mono" href={all}>
        {origin}
      </a>,
      <span class="sub">
        <a href={withQuery('/consumers', { consumer: consumerId })}>{name}</a>
        {row.isPart && ' *'}
      </span>,
    ],
    <Chip look={stateOf(row, tone)} />,
    <span class={mark}>{text}</span>,
    <Spark
      shares={trend.shares}
      name={`Success by half hour, ${origin}, ${name}: ${trend.text}`}
      tone={trend.tone}
    />,
    count(row.attempts),
    row.p50Ms === undefined || row.p95Ms === undefined
      ? null
      : `${duration(row.p50Ms)} / ${duration(row.p95Ms)}`,
    linked(row.open, 'OPEN', 'open'),
    linked(row.delivered, 'DELIVERED', 'delivered'),
    linked(row.dead, 'DEAD', 'dead'),
  ]
}
