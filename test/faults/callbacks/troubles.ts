import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@despatch/store/database'
import type { ReceiverAnswer, RecordingReceiver } from '../../stack/callbacks/recording-receiver.ts'
import { ownSessions } from '../../stack/callbacks/start-delivery.ts'
import type { Chance } from '../seeded-chance.ts'

export type Trouble = { chance: Chance; signal: AbortSignal; tell(line: string): void }

/** Too few failures to open a breaker. */
const failuresAtFirst = 4

/**
 * Returns the answers of an unreliable consumer: the first calls fail, some later calls fail, and some answers to calls
 * that it accepts are lost.
 */
export function answerBadly(chance: Chance, delayMsMax: number): () => ReceiverAnswer {
  let calls = 0
  return () => {
    calls += 1
    const delayMs = Math.floor(chance() * delayMsMax)
    const luck = chance()
    if (calls <= failuresAtFirst) return { status: 500, delayMs }
    if (luck < 0.1) return { status: 503, delayMs }
    return { status: 204, delayMs, isCut: luck > 0.97 }
  }
}

/** Closes and reopens a consumer until the signal aborts. The consumer is open when this returns. */
export async function flap(receiver: RecordingReceiver, { chance, signal, tell }: Trouble) {
  while (!signal.aborted) {
    await nap(5_000 + chance() * 25_000, signal)
    if (signal.aborted) return
    tell(`away: ${receiver.origin}`)
    await receiver.shut()
    await nap(1_000 + chance() * 7_000, signal)
    await receiver.open()
  }
}

/** Ends about half of the sessions of all services every few seconds. */
export async function endSessions(
  { pool }: Database,
  { chance, signal, tell, strike }: Trouble & { strike(): void },
): Promise<void> {
  while (!signal.aborted) {
    await nap(2_000 + chance() * 3_000, signal)
    if (signal.aborted) return
    strike()
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name <> $1 and hashtext(pid::text || $2) % 2 = 0`,
      [ownSessions, String(chance())],
    )
    strike()
    tell(`ended: ${rowCount} sessions`)
  }
}

async function nap(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
