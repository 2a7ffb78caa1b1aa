import type { CallbackOriginsResponse } from '@despatch/contracts/administration/callback'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { ageSince, card, time } from '../parts/elements.ts'
import { count, countOf } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.ts'
import { table } from '../parts/table.ts'

type Origin = CallbackOriginsResponse['origins'][number]

export const origins = beginPaging<CallbackOriginsResponse>(
  (cursor) => ask('GET', withQuery('/callback-origins', { cursor })),
  ({ origins }) => `${countOf(origins.length, 'origin')}.`,
)

/** Returns the origins with due or dead callbacks or with a problem, or null if there are none. */
export function originsCard(): JSX.Element | null {
  const answer = origins.answer()
  if (!answer) return origins.absent('Origins that need a look')
  if (answer.origins.length === 0 && !origins.hasOthers()) return null
  return card(
    {
      title: 'Origins that need a look',
      meta: 'with due or dead callbacks, or with a problem',
    },
    table({
      caption: 'Origins that need a look',
      columns: [
        'Origin',
        'State',
        { name: 'Due', class: 'num' },
        { name: 'Oldest', class: 'num p2' },
        { name: 'Dead', class: 'num' },
        { name: 'Last success', class: 'num p2' },
        { name: 'Last failure', class: 'num p3' },
      ],
      rows: answer.origins.map((each) => [
        h(
          'a',
          { class: 'mono', href: withQuery('/callbacks', { origin: each.origin }) },
          each.origin,
        ),
        stateOf(each),
        count(each.due),
        each.oldestDueAt && ageSince(each.oldestDueAt),
        count(each.dead),
        time(each.lastSuccessAt),
        [
          time(each.lastFailureAt),
          each.lastOutcome && h('span', { class: 'sub' }, each.lastOutcome),
        ],
      ]),
    }),
    origins.hasOthers() && origins.footer({ order: 'by name', back: 'Previous', onward: 'Next' }),
  )
}

function stateOf({ breaker, breakerUntil, failuresInRow }: Origin) {
  if (breaker === 'closed' && failuresInRow === 0) return chip(['despatched', 'ok', 'Answering'])
  const remark =
    breaker === 'open' && breakerUntil
      ? ['next attempt ', time(breakerUntil, 'relative')]
      : `${count(failuresInRow)} failures in a row`
  return [
    breaker === 'closed'
      ? chip(['alert', 'warn', 'Failing'])
      : chip(['rejected', 'bad', breaker === 'open' ? 'Not answering' : 'Trying one']),
    h('span', { class: 'sub' }, remark),
  ]
}
