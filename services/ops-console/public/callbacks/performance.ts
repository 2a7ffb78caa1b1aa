import type { CallbackPerformanceResponse } from '@despatch/contracts/administration/callback-performance'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { card, link, time } from '../parts/elements.ts'
import { count, countOf, duration } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.ts'
import { spark } from '../parts/spark.ts'
import { table } from '../parts/table.ts'
import { type Performance, successOf, type Tone, trendOf, worstFirst } from './success.ts'

export const performances = beginPaging<CallbackPerformanceResponse>(
  (cursor) => ask('GET', withQuery('/callback-performance', { cursor })),
  ({ consumers }) => `Success of ${countOf(consumers.length, 'consumer')}.`,
)

/** Returns how well the receivers of callbacks answered in the last day, and how fast. */
export function performanceCard(): JSX.Element {
  const answer = performances.answer()
  if (!answer) return performances.absent('Success and time to answer')
  const { consumers, from } = answer
  const isPart = consumers.some((consumer) => consumer.isPart)
  const isAll = !performances.hasOthers()
  return card(
    {
      title: 'Success and time to answer',
      meta: ['since ', time(from), isAll ? ', worst first' : ', worst of this page first'],
    },
    table({
      caption: 'Success and time to answer',
      columns: [
        'Origin, consumer',
        { name: 'State', class: 'p2' },
        { name: 'Success', class: 'num' },
        { name: '24 h', class: 'p3' },
        { name: 'Attempts', class: 'num p3' },
        { name: 'p50 / p95', class: 'num p2' },
        { name: 'Open', class: 'num p2' },
        { name: 'Delivered', class: 'num p2' },
        { name: 'Dead', class: 'num' },
      ],
      rows: worstFirst(consumers).map(rowOf),
      empty: 'No callback was created in the last day.',
    }),
    isPart && h('footer', {}, '* only the newest callbacks of this consumer are counted'),
    !isAll &&
      performances.footer({ order: 'by consumer', back: 'Previous', onward: 'Next consumers' }),
  )
}

function stateOf({ breaker }: Performance, tone: Tone): Parameters<typeof chip>[0] {
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
    number === 0
      ? count(0)
      : link(listOf(status), count(number), h('span', { class: 'vh' }, ` ${what}, ${name}`))
  return [
    [
      h('a', { class: 'mono', href: all }, origin),
      h(
        'span',
        { class: 'sub' },
        link(withQuery('/consumers', { consumer: consumerId }), name),
        row.isPart && ' *',
      ),
    ],
    chip(stateOf(row, tone)),
    h('span', { class: mark }, text),
    spark(trend.shares, `Success by half hour, ${origin}, ${name}: ${trend.text}`, trend.tone),
    count(row.attempts),
    row.p50Ms === undefined || row.p95Ms === undefined
      ? null
      : `${duration(row.p50Ms)} / ${duration(row.p95Ms)}`,
    linked(row.open, 'OPEN', 'open'),
    linked(row.delivered, 'DELIVERED', 'delivered'),
    linked(row.dead, 'DEAD', 'dead'),
  ]
}
