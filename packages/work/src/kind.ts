import type { QueueName } from '@despatch/queue/queues'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: each kind has tables of its own
type Tables = any
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/**
 * Subjects, each with the version at which it was placed. The work on a subject is void once its version is another:
 * each outcome and each action of an operator raises it, and writes the subject's next place in the same statement.
 */
export type Placed = { subjects: readonly string[]; versions: readonly number[] }

export type QueueTerms = {
  name: QueueName
  /**
   * At most this many batches wait for a worker; the backlog stays in the database. Few, so that a subject of a consumer
   * that was idle waits behind few batches. Enough that workers find the next batch while the next pass forms others.
   */
  offeredMax: number
  /** A batch that no worker has taken after this time was lost by its queue, or the workers of the queue are busy. */
  offeredSeconds: number
}

export type LaneTerms = {
  /** What a subject is thought to take, in milliseconds, until some are measured. */
  guessMs: number
  /**
   * A batch has at least so many if they wait, however long they took before (1), unless it overtakes others. For subjects that cost little and about
   * the same: where a batch takes long, its statements wait for a slow database or a busy processor, and smaller batches
   * would be more of them.
   */
  batchMin?: number
  /** Each of its subjects is alone in its batch, in the queue of slow ones. */
  isSlow?: boolean
}

/** A kind of work: where its subjects wait, how its batches are limited, and what the engine asks about its subjects. */
export type Kind<Subject = unknown> = {
  /** Its tables are `<name>_waiting`, `<name>_later`, `<name>_batch` and `<name>_spent`. */
  name: string
  /** By what one subject costs. A batch has subjects of one lane. */
  lanes: Readonly<Record<string, LaneTerms>>
  /** Slow subjects have workers of their own, so that they delay no others. */
  queues: Readonly<Record<'ordinary' | 'slow', QueueTerms>>
  /** Reads the subjects that still have the version of their place and still have work, in any order. */
  read(tx: Tx, placed: Placed): Promise<Subject[]>
} & Leased<Placed>

/** What the engine asks about subjects whose worker died. */
export type Leased<Batch extends Placed> = {
  /** Batches are rows of `<name>_batch`. */
  name: string
  /**
   * The workers of these batches died. Their subjects that still have the version of their place and still have work get
   * another version and another place. Returns how many. A batch has all columns of its row.
   */
  interrupt(tx: Tx, batches: readonly Batch[]): Promise<number>
}

/** Returns the names of the tables of a kind, for SQL. */
export function tablesOf({ name }: Pick<Kind, 'name'>): {
  waiting: RawBuilder<unknown>
  waitingSeq: RawBuilder<unknown>
  later: RawBuilder<unknown>
  batch: RawBuilder<unknown>
  spent: RawBuilder<unknown>
} {
  return {
    waiting: sql.id(`${name}_waiting`),
    waitingSeq: sql.id(`${name}_waiting_seq_seq`),
    later: sql.id(`${name}_later`),
    batch: sql.id(`${name}_batch`),
    spent: sql.id(`${name}_spent`),
  }
}

export const lanesOf = ({ lanes }: Pick<Kind, 'lanes'>): string[] => Object.keys(lanes)
export const queuesOf = ({ queues }: Pick<Kind, 'queues'>): QueueTerms[] => [
  queues.ordinary,
  queues.slow,
]
