import type { CallbackOriginsResponse } from '@despatch/contracts/administration/callback'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { chip } from '../parts/chips.ts'
import { ageSince, button, card, skeleton, time } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { table } from '../parts/table.ts'

type Origin = CallbackOriginsResponse['origins'][number]

const listed = signal<CallbackOriginsResponse | undefined>()

export async function readOrigins(cursor?: string): Promise<void> {
  listed.value = await ask('GET', withQuery('/callback-origins', { cursor }))
}

/** Returns the origins with due or dead callbacks or with a problem: whose end is broken. */
export function originsCard(): JSX.Element {
  const answer = listed.value
  if (!answer) return skeleton('By origin')
  const { origins, nextCursor } = answer
  return card(
    {
      title: 'By origin',
      meta: 'with due or dead callbacks, or with a problem',
      footer:
        nextCursor &&
        button('Next origins', () => void attempt(() => readOrigins(nextCursor)), {
          look: 'small',
        }),
    },
    table({
      caption: 'Origins',
      columns: [
        'Origin',
        'State',
        { name: 'Due', class: 'num' },
        { name: 'Oldest', class: 'num p2' },
        { name: 'Dead', class: 'num' },
        { name: 'Last success', class: 'num p2' },
        { name: 'Last failure', class: 'num p3' },
      ],
      rows: origins.map((each) => [
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
      empty: 'Every origin answers, and nothing is due or dead.',
    }),
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
