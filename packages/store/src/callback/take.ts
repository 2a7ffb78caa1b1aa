import { randomUUID } from 'node:crypto'
import {
  type CallLimits,
  type CallsOfConsumers,
  chooseCallbacks,
  hasShare,
} from '@despatch/domain/callback/choose'
import { sendTogether } from '@despatch/postgres/bounded-client'
import type pg from 'pg'
import { type Candidates, findCandidates } from './candidates.ts'
import { type EndedTurns, endTurns } from './end-turns.ts'
import { leaseCallbacks, type TakenCallback } from './lease.ts'
import { createSettledPositions, type SettledPositions } from './settled-positions.ts'
import { takingLock } from './taking-lock.ts'

export type Take =
  | {
      kind: 'taken'
      callbacks: TakenCallback[]
      /** The origin after which the next pass continues. Undefined: it starts at the first. */
      originAfter: string | undefined
      /** The time after which the next pass looks for callbacks that became due. Undefined: this pass did not look. */
      dueUntil: Date | undefined
      /** Another pass may find due callbacks at once. */
      isMore: boolean
      /** When the next callback becomes due, among those that were not due before this pass. */
      nextDueAt: Date | null
    }
  /** Another process is taking callbacks: retry after some milliseconds. */
  | { kind: 'busy' }

export type TakeOptions = {
  /** The number of calls that the process can start now. */
  free: number
  leaseSeconds: number
  limits: CallLimits
  /** The calls that the process has under way. */
  underWay?: CallsOfConsumers
  /** What became of the turns of the process. If the pass fails, the next one is given them too. */
  ended?: EndedTurns
  /** Returns the id of a new turn. After a pass that failed, its turns may exist. */
  newBatch?: () => string
  originAfter?: string | undefined
  dueAfter?: Date | undefined
  /** Kept between passes. */
  settledPositions?: SettledPositions
  /** Looks whether there is anything to take before it begins a transaction. Costs a roundtrip if there is. */
  looksFirst?: boolean
}

/**
 * Takes callbacks that are due: a turn for each chosen origin. `chooseCallbacks` chooses them with the calls of all processes in view. A
 * pass visits a bounded number of origins. The pool pipelines: statements are sent together, with COMMIT among them, so a
 * lost reply also loses the leased callbacks. The process gives their turns back with its next pass, or their lease expires.
 */
export async function takeCallbacks(pool: pg.Pool, options: TakeOptions): Promise<Take> {
  const nothing = options.looksFirst && (await findNothing(pool))
  if (nothing) return nothing
  const { free, underWay = new Map<string, number>() } = options
  const without = [...underWay.keys()].filter((id) => !hasShare(underWay, id, free))
  const given = { ...options, underWay, without }
  const client = await pool.connect()
  let isBroken = true
  try {
    // Sent together if the connection pipelines: waiting for answers costs more than a search that finds nothing.
    const [isLocked, ahead, candidates] = await sendTogether(client, () =>
      Promise.all([begin(client), lookAhead(client), findCandidates(client, given)]),
    )
    const take = isLocked
      ? await takeAlone(client, given, { ahead, candidates })
      : await leave(client)
    isBroken = false
    return take
  } finally {
    // After a failure, closing the connection rolls back the transaction.
    client.release(isBroken)
  }
}

async function leave(client: pg.PoolClient): Promise<Take> {
  await client.query('commit')
  return { kind: 'busy' }
}

/**
 * The planner's statistics may be old, perhaps from when the table was empty, so this forces it to use the indexes and
 * one plan. The lock comes before the statements that read, so that they see what the previous pass has leased. The commit
 * does not wait for the disk: if a crash of the database loses it, the callbacks are due, as they were before.
 */
async function begin(client: pg.PoolClient): Promise<boolean> {
  const results: unknown = await client.query(`
    begin;
    set local synchronous_commit = off; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
    set local enable_bitmapscan = off; set local jit = off; set local plan_cache_mode = force_generic_plan;
    select pg_try_advisory_xact_lock(${takingLock}) as "isLocked"`)
  const { rows } = (results as pg.QueryResult<{ isLocked: boolean }>[]).at(-1)!
  return rows[0]!.isLocked
}

type Given = TakeOptions & { underWay: CallsOfConsumers; without: readonly string[] }

async function takeAlone(
  client: pg.PoolClient,
  options: Given,
  seen: { ahead: Ahead; candidates: Candidates },
): Promise<Take> {
  const { hasWaiting } = seen.ahead
  const mustWait = hasWaiting && (await promote(client, options.settledPositions))
  const candidates = hasWaiting ? await findCandidates(client, options) : seen.candidates
  const [pass] = await sendTogether(client, () =>
    Promise.all([leaseChosen(client, options, candidates), client.query('commit')]),
  )
  const nextDueAt = mustWait ? candidates.now : seen.ahead.nextDueAt
  return { kind: 'taken', ...pass, nextDueAt }
}

/**
 * Makes the oldest waiting callback due of each contract in strict order without a due callback, once no earlier one can still be
 * committed. Returns true if one has to wait for that.
 */
async function promote(
  client: pg.PoolClient,
  settledPositions = createSettledPositions(),
): Promise<boolean> {
  const [drawn, writers] = await Promise.all([
    client.query<{ position: number }>(drawnPosition),
    client.query<{ transaction: string }>(otherWriters),
  ])
  const settled = settledPositions.note({
    drawn: drawn.rows[0]!.position,
    writers: writers.rows.map(({ transaction }) => transaction),
  })
  const { rows } = await client.query<{ mustWait: boolean }>({ ...promoteNext, values: [settled] })
  return rows[0]!.mustWait
}

const nothingEnded: EndedTurns = { batches: [], kept: [] }

/** Sends every statement before it waits, so that COMMIT follows at once. */
async function leaseChosen(
  client: pg.PoolClient,
  {
    free,
    underWay,
    without,
    leaseSeconds,
    limits,
    ended = nothingEnded,
    newBatch = randomUUID,
  }: Given,
  { due, origins, calls, now, ...found }: Candidates,
) {
  const choice = chooseCallbacks({ due, origins, calls, now, free, underWay, limits })
  const ending = endTurns(client, ended)
  const leasing =
    choice.taken.length > 0
      ? leaseCallbacks(client, choice, { leaseSeconds, origins, newBatch })
      : []
  const [callbacks] = await Promise.all([leasing, ending])
  const isProgress = callbacks.length > 0
  const isFull = choice.taken.length >= free
  return {
    callbacks,
    // The origin that was served last is served last in the next pass.
    originAfter: isFull ? callbacks.at(-1)?.origin : found.lastOrigin,
    dueUntil: found.dueUntil,
    // Consumers with their share of the calls have due callbacks in each pass: these would be made without a pause.
    isMore:
      isFull ||
      (found.isCutShort && without.length === 0) ||
      (isProgress && (found.isCutShort || found.isPartial)),
  }
}

type Ahead = { nextDueAt: Date | null; hasWaiting: boolean }

/**
 * Finds what must be done before choosing candidates, and when the next callback becomes due. Must be fast, because it
 * runs in every pass.
 */
async function lookAhead(client: pg.PoolClient): Promise<Ahead> {
  const { rows } = await client.query<Ahead>(ahead)
  return rows[0]!
}

// Reads all of them in one statement: the index entry after one contract is the first of the next.
const strictHeads = `strict (strict_contract_id, state, id) as (
        (select strict_contract_id, state, id from callback
          where strict_contract_id is not null and state in ('WAITING', 'DUE')
          order by strict_contract_id, state, position limit 1)
        union all
        select next.* from strict cross join lateral (
          select callback.strict_contract_id, callback.state, callback.id from callback
          where callback.strict_contract_id > strict.strict_contract_id and callback.state in ('WAITING', 'DUE')
          order by callback.strict_contract_id, callback.state, callback.position limit 1) next
      )`

const ahead = {
  name: 'callbacks-ahead',
  text: `
    with recursive ${strictHeads}
    select
      (select min(due_at) from callback where state = 'DUE' and due_at > now()) as "nextDueAt",
      exists (select from strict where state = 'WAITING') as "hasWaiting"`,
}

/** Returns what a take returns that finds nothing, or undefined if one may find something. */
async function findNothing(pool: pg.Pool): Promise<Take | undefined> {
  const { rows } = await pool.query<{
    nextDueAt: Date | null
    isAny: boolean
  }>(`/* prepared: callbacks-find-nothing */
    select (select min(due_at) from callback where state = 'DUE' and due_at > now()) as "nextDueAt",
      exists (select from callback where state = 'DUE' and due_at <= now() and (id, attempt_epoch) not in (
        select call.* from callback_batch batch
        cross join lateral unnest(batch.subjects, batch.versions) as call (id, version)))
      or exists (select from callback where strict_contract_id is not null and state = 'WAITING') as "isAny"`)
  const { nextDueAt, isAny } = rows[0]!
  return isAny
    ? undefined
    : {
        kind: 'taken',
        callbacks: [],
        originAfter: undefined,
        dueUntil: undefined,
        isMore: false,
        nextDueAt,
      }
}

const drawnPosition = {
  name: 'callbacks-drawn-position',
  text: 'select last_value as position from callback_position_seq',
}

/** A transaction that inserts callbacks locks their table before it draws a position, and until it ends. */
const otherWriters = {
  name: 'callbacks-other-writers',
  text: `
    select virtualtransaction as transaction from pg_locks
    where relation = 'callback'::regclass and mode = 'RowExclusiveLock' and pid is distinct from pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`,
}

const promoteNext = {
  name: 'callbacks-promote',
  text: `
    with recursive ${strictHeads}, head as (
      select id from strict where state = 'WAITING'
    ), next as (
      select id from callback
      where id = any (array (select id from head)) and coalesce(state = 'WAITING' and position <= $1::bigint, false)
      for no key update skip locked
    ), promoted as (
      update callback set state = 'DUE', due_at = now(), attempt_epoch = attempt_epoch + 1
      from next where callback.id = next.id
      returning callback.id
    )
    select (select count(*) from promoted) < (select count(*) from head) as "mustWait"`,
}
