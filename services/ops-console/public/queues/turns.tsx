import { withQuery } from '../parts/api.ts'
import { Time } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { Meter } from '../parts/plot.tsx'
import { TableCard } from '../parts/table.tsx'

/** The facts have at most this many. */
const turnRowsMax = 12

/** The callbacks that are being sent, by origin. */
export function CallbackTurns({ turns, at }: Facts) {
  return (
    <TableCard
      title="Turns of callbacks"
      meta={
        <>
          as of <Time at={at} style="clock" />
        </>
      }
      footer={turns?.length === turnRowsMax && `The first ${turnRowsMax}, longest first.`}
      columns={[
        'Origin',
        'Progress',
        { name: 'Calls at once', class: 'num p2' },
        { name: 'Began', class: 'num p2' },
      ]}
      rows={turns?.map(({ origin, ended, callbacks, callsMax, takenAt }) => [
        <a class="mono" href={withQuery('/callbacks', { origin })}>
          {origin}
        </a>,
        <span class="progress">
          <Meter part={ended} all={callbacks} name="Done" />
          <span>
            {count(ended)} of {count(callbacks)}
          </span>
        </span>,
        count(callsMax),
        <Time at={takenAt} style="clock" />,
      ])}
      empty="No callback is being sent. A due callback is taken as soon as its origin may be called."
    />
  )
}
