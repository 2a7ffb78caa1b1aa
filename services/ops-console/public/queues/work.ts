import { canaryConsumerId } from '@despatch/domain/work/canary'
import { laneNames } from '@despatch/domain/work/lane'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { card, link, time } from '../parts/elements.ts'
import { age, count, countOf, duration } from '../parts/format.ts'
import type { Facts } from '../parts/live.ts'
import { meter } from '../parts/plot.ts'
import { table } from '../parts/table.ts'

type Batch = NonNullable<Facts['batches']>[number]

const lettersCountedMax = 10_000
/** The facts have at most this many. */
const batchRowsMax = 12
const states = {
  waiting: ['quarantine', '', 'Waiting'],
  active: ['production', 'work', 'Running'],
  ended: ['despatched', 'ok', 'Ended'],
  failed: ['rejected', 'bad', 'Failed'],
} as const satisfies Readonly<Record<Batch['state'], Parameters<typeof chip>[0]>>

/** Returns the letters that no worker has taken, by lane. */
export function waitingLetters({ figures }: Facts): JSX.Element {
  const { work } = figures ?? {}
  return card(
    {
      title: 'Letters that wait for a worker',
      footer: work && [
        h('span', {}, `Waiting for a time or a dependency: ${upTo(work.postponed)}`),
        ...work.offered.map(({ queue, letters }) =>
          h('span', {}, `In batches offered to ${queue}: ${count(letters)}`),
        ),
      ],
    },
    table({
      caption: 'Letters that wait for a worker',
      columns: [
        'Lane',
        { name: 'Letters', class: 'num' },
        { name: 'Consumers', class: 'num' },
        { name: 'Oldest', class: 'num' },
      ],
      rows: work?.lanes.map(({ lane, letters, consumers, oldestSeconds }) => [
        laneNames[lane],
        upTo(letters),
        count(consumers),
        age(oldestSeconds),
      ]),
    }),
  )
}

/** Returns what the workers do, batch by batch. */
export function batchesOf({ batches, at }: Facts): JSX.Element {
  const isFull = batches?.length === batchRowsMax
  return card(
    {
      title: 'Batches of letters',
      meta: ['as of ', time(at, 'clock')],
      footer: isFull && `The first ${batchRowsMax}: running ones, then the newest.`,
    },
    table({
      caption: 'Batches of letters',
      columns: [
        { name: 'Batch', class: 'p2' },
        { name: 'Queue', class: 'p2' },
        { name: 'Lane', class: 'p2' },
        'Consumer',
        { name: 'State' },
        'Progress or result',
        { name: 'Took', class: 'num p2' },
        { name: 'Time', class: 'num p2' },
      ],
      rows: batches?.map((batch) => [
        h('span', { class: 'mono' }, batch.batchId.slice(0, 8)),
        batch.queue,
        nameOfLane(batch.lane),
        consumerOf(batch),
        chip(states[batch.state]),
        progressOf(batch),
        batch.tookMs !== null && duration(batch.tookMs),
        time(batch.at, 'clock'),
      ]),
      empty: 'No batches in the last hour. Workers take letters as soon as there are some.',
    }),
  )
}

/** Returns the tasks that ended with a fault of ours. The database keeps their work, so nothing is lost with them. */
export function failedTasks({ failedTasks: failed }: Facts): JSX.Element | null {
  if (!failed || failed.length === 0) return null
  return card(
    {
      title: 'Failed tasks',
      meta: 'The newest, kept for a week. Retry puts those of a queue back.',
    },
    table({
      caption: 'Failed tasks',
      columns: [
        'Queue',
        'Task',
        { name: 'Attempts', class: 'num p2' },
        'Why it failed',
        { name: 'Time', class: 'num p2' },
      ],
      rows: failed.map(({ queue, subject, attempts, reason, at }) => [
        queue,
        queue === 'callback'
          ? link(withQuery('/callbacks', { callback: subject }), subject.slice(0, 8))
          : h('span', { class: 'mono' }, subject.slice(0, 8)),
        count(attempts),
        reason,
        time(at, 'clock'),
      ]),
    }),
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
    return h('span', { class: 'progress' }, meter(done, all, 'Done'), h('span', {}, text))
  }
  return (
    result ??
    (state === 'waiting' ? countOf(letters, 'letter') : (progress ?? countOf(letters, 'letter')))
  )
}

function consumerOf({ consumerId, consumerUserName }: Batch) {
  if (consumerId === null) return 'several'
  if (consumerId === canaryConsumerId) return 'none: a canary'
  return link(withQuery('/consumers', { consumer: consumerId }), consumerUserName ?? consumerId)
}

function upTo(letters: number): string {
  return letters < lettersCountedMax ? count(letters) : `${count(lettersCountedMax)} or more`
}
