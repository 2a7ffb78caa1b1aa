import { laneNames } from '@despatch/domain/work/lane'
import { canaryConsumerId } from '@despatch/work/canary-consumer'
import { withQuery } from '../parts/api.ts'
import { Chip, type Look } from '../parts/chips.tsx'
import { Time } from '../parts/elements.tsx'
import { age, count, countOf, duration } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { Meter } from '../parts/plot.tsx'
import { TableCard } from '../parts/table.tsx'

type Batch = NonNullable<Facts['batches']>[number]

const lettersCountedMax = 10_000
/** The facts have at most this many. */
const batchRowsMax = 12
const states = {
  waiting: ['quarantine', '', 'Waiting'],
  active: ['production', 'work', 'Running'],
  ended: ['despatched', 'ok', 'Ended'],
  failed: ['rejected', 'bad', 'Failed'],
} as const satisfies Readonly<Record<Batch['state'], Look>>

/** The letters that no worker has taken, by lane. */
export function WaitingLetters({ figures }: Facts) {
  const { work } = figures ?? {}
  return (
    <TableCard
      title="Letters that wait for a worker"
      footer={
        work && (
          <>
            <span>Waiting for a time or a dependency: {upTo(work.postponed)}</span>
            {work.offered.map(({ queue, letters }) => (
              <span>
                In batches offered to {queue}: {count(letters)}
              </span>
            ))}
          </>
        )
      }
      columns={[
        'Lane',
        { name: 'Letters', class: 'num' },
        { name: 'Consumers', class: 'num' },
        { name: 'Oldest', class: 'num' },
      ]}
      rows={work?.lanes.map(({ lane, letters, consumers, oldestSeconds }) => [
        laneNames[lane],
        upTo(letters),
        count(consumers),
        age(oldestSeconds),
      ])}
    />
  )
}

/** What the workers do, batch by batch. */
export function Batches({ batches, at }: Facts) {
  const isFull = batches?.length === batchRowsMax
  return (
    <TableCard
      title="Batches of letters"
      meta={
        <>
          as of <Time at={at} style="clock" />
        </>
      }
      footer={isFull && `The first ${batchRowsMax}: running ones, then the newest.`}
      columns={[
        { name: 'Batch', class: 'p2' },
        { name: 'Queue', class: 'p2' },
        { name: 'Lane', class: 'p2' },
        'Consumer',
        { name: 'State' },
        'Progress or result',
        { name: 'Took', class: 'num p2' },
        { name: 'Time', class: 'num p2' },
      ]}
      rows={batches?.map((batch) => [
        <span class="mono">{batch.batchId.slice(0, 8)}</span>,
        batch.queue,
        nameOfLane(batch.lane),
        consumerOf(batch),
        <Chip look={states[batch.state]} />,
        progressOf(batch),
        batch.tookMs !== null && duration(batch.tookMs),
        <Time at={batch.at} style="clock" />,
      ])}
      empty="No batches in the last hour. Workers take letters as soon as there are some."
    />
  )
}

/** The tasks that ended with a fault of ours. The database keeps their work, so nothing is lost with them. */
export function FailedTasks({ failedTasks: failed }: Facts) {
  if (!failed || failed.length === 0) return null
  return (
    <TableCard
      title="Failed tasks"
      meta="The newest, kept for a week. Retry puts those of a queue back."
      columns={[
        'Queue',
        'Task',
        { name: 'Attempts', class: 'num p2' },
        'Why it failed',
        { name: 'Time', class: 'num p2' },
      ]}
      rows={failed.map(({ queue, subject, attempts, reason, at }) => [
        queue,
        <span class="mono">{subject.slice(0, 8)}</span>,
        count(attempts),
        reason,
        <Time at={at} style="clock" />,
      ])}
    />
  )
}

/** A newer release may have other lanes. */
function nameOfLane(lane: string): string {
  return (laneNames as Readonly<Record<string, string>>)[lane] ?? lane
}

function progressOf({ progress, letters, result, state }: Batch) {
  const [done, all] = (progress ?? '').split(' of ').map(Number)
  if (done !== undefined && all) {
    const text = `${count(done)} of ${count(all)}`
    return (
      <span class="progress">
        <Meter part={done} all={all} name="Done" />
        <span>{text}</span>
      </span>
    )
  }
  return (
    result ??
    (state === 'waiting' ? countOf(letters, 'letter') : (progress ?? countOf(letters, 'letter')))
  )
}

function consumerOf({ consumerId, consumerUserName }: Batch) {
  if (consumerId === null) return 'several'
  if (consumerId === canaryConsumerId) return 'none: a canary'
  return (
    <a href={withQuery('/consumers', { consumer: consumerId })}>{consumerUserName ?? consumerId}</a>
  )
}

function upTo(letters: number): string {
  return letters < lettersCountedMax ? count(letters) : `${count(lettersCountedMax)} or more`
}
