import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'
import type { Message, SigningConsumer } from './add-messages.ts'
import type { Arrivals, Receivers } from './receivers.ts'

/** What all parts of the bench share. */
export type Bench = {
  ground: Ground
  settings: Settings
  database: Database
  receivers: Receivers
  consumer: SigningConsumer
  secretKeyHex: string
}

const pollMs = 2

/** Waits until every callback is delivered, dead or due only in an hour or later. Throws after the deadline. */
export async function allEnded(
  { database: { pool }, ground: { signal } }: Pick<Bench, 'database' | 'ground'>,
  deadlineMs: number,
): Promise<void> {
  const endsAt = performance.now() + deadlineMs
  for (;;) {
    const { rows } = await pool.query<{ isOver: boolean }>({
      name: 'bench-over',
      text: `select not exists (
        select from callback where state = 'DUE' and due_at < now() + interval '1 hour') as "isOver"`,
    })
    if (rows[0]!.isOver) return
    if (performance.now() > endsAt) throw new Error('Some callbacks have not ended')
    await pause(pollMs, undefined, { signal })
  }
}

/** Returns when the first message arrived. Throws if one has not arrived, or is not signed. */
export async function checkArrivals(
  { receivers, consumer }: Bench,
  { arrivedAtMs }: Arrivals,
  messages: readonly Message[],
): Promise<number> {
  const arrived = messages.flatMap(({ id }) => arrivedAtMs[id] ?? [])
  if (arrived.length < messages.length) {
    throw new Error(`Only ${arrived.length} of ${messages.length} callbacks have arrived`)
  }
  const unsigned = await receivers.countUnsigned(consumer.secret)
  if (unsigned > 0) throw new Error(`${unsigned} calls had no valid signature`)
  return arrived.reduce((first, at) => Math.min(first, at))
}

/** The longest that the delivery of a backlog may take. */
export function longestMs({ seconds }: Settings): number {
  return Math.max(120_000, seconds * 10_000)
}
