import type { CallbackOriginsResponse } from '@despatch/contracts/administration/callback'
import { ask, withQuery } from '../parts/api.ts'
import { Chip } from '../parts/chips.tsx'
import { AgeSince, Card, Time } from '../parts/elements.tsx'
import { count, countOf } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Table } from '../parts/table.tsx'

type Origin = CallbackOriginsResponse['origins'][number]

export const origins = beginPaging<CallbackOriginsResponse>(
  (cursor) => ask('GET', withQuery('/callback-origins', { cursor })),
  ({ origins }) => `${countOf(origins.length, 'origin')}.`,
)

/** Returns the origins with due or dead callbacks or with a problem, or null if there are none. */
export function originsCard() {
  const answer = origins.answer()
  if (!answer) return origins.absent('Origins that need a look')
  if (answer.origins.length === 0 && !origins.hasOthers()) return null
  return (
    <Card title="Origins that need a look" meta="with due or dead callbacks, or with a problem">
      <Table
        caption="Origins that need a look"
        columns={[
          'Origin',
          'State',
          { name: 'Due', class: 'num' },
          { name: 'Oldest', class: 'num p2' },
          { name: 'Dead', class: 'num' },
          { name: 'Last success', class: 'num p2' },
          { name: 'Last failure', class: 'num p3' },
        ]}
        rows={answer.origins.map((each) => [
          <a class="mono" href={withQuery('/callbacks', { origin: each.origin })}>
            {each.origin}
          </a>,
          stateOf(each),
          count(each.due),
          each.oldestDueAt && <AgeSince at={each.oldestDueAt} />,
          count(each.dead),
          <Time at={each.lastSuccessAt} />,
          [
            <Time at={each.lastFailureAt} />,
            each.lastOutcome && <span class="sub">{each.lastOutcome}</span>,
          ],
        ])}
      />
      {origins.hasOthers() &&
        origins.footer({ order: 'by name', back: 'Previous', onward: 'Next' })}
    </Card>
  )
}

function stateOf({ breaker, breakerUntil, failuresInRow }: Origin) {
  if (breaker === 'closed' && failuresInRow === 0)
    return <Chip look={['despatched', 'ok', 'Answering']} />
  const remark =
    breaker === 'open' && breakerUntil
      ? ['next attempt ', <Time at={breakerUntil} style="relative" />]
      : `${count(failuresInRow)} failures in a row`
  return [
    <Chip
      look={
        breaker === 'closed'
          ? ['alert', 'warn', 'Failing']
          : ['rejected', 'bad', breaker === 'open' ? 'Not answering' : 'Trying one']
      }
    />,
    <span class="sub">{remark}</span>,
  ]
}
