import { isRunOverdue } from '@despatch/domain/print-job/lateness'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { shareRecent } from '@despatch/http/share-recent'
import type { FailedTask, ListedBatch } from '@despatch/queue/listed-queues'
import type { ManagedQueue } from '@despatch/queue/queues'
import { type ListedCallbackOrigin, listCallbackOriginPage } from '@despatch/store/callback/origins'
import type { Db } from '@despatch/store/database'
import { type ListedTask, listPeriodicTasks } from '@despatch/work/task-runs'
import { sql } from 'kysely'
import { type AttemptsByHalfHour, readAttemptsByHalfHour } from './attempts-by-half-hour.ts'
import { type CallbackTurn, listCallbackTurns } from './callback-turns.ts'
import {
  type Concern,
  listConcerns,
  listDueConcerns,
  listPausedQueues,
  mostUrgentFirst,
} from './concerns.ts'
import { type DueToday, readDueToday } from './due-today.ts'
import {
  type DeadCallback,
  type FailingStep,
  listDeadCallbacks,
  listFailingSteps,
} from './newest-failures.ts'
import type { Figures } from './read-figures.ts'
import { readTimesToAnswer, type TimesToAnswer } from './times-to-answer.ts'
import { readToday, type Today } from './today.ts'

const rowsMax = 15
const runRowsMax = 40
const batchRowsMax = 12
const turnRowsMax = 12
const originsMax = 50
const flowMinutes = 60
const backlogsMax = 8
const recentMsMax = 1_000
const slowMsMax = 5_000
const flowMsMax = 15_000
const closedDays = 7

/** The data of the page Now. A part that could not be read is null, and the page says so. */
export type LiveFacts = {
  at: Date
  figures: Figures | null
  concerns: Concern[] | null
  queues: ManagedQueue[] | null
  batches: BatchOfConsumer[] | null
  failedTasks: FailedTask[] | null
  turns: CallbackTurn[] | null
  tasks: ListedTask[] | null
  failingSteps: FailingStep[] | null
  deadCallbacks: DeadCallback[] | null
  failingOrigins: ListedCallbackOrigin[] | null
  runs: RunsOfDay[] | null
  backlogs: BacklogOfConsumer[] | null
  due: DueToday | null
  flow: FlowMinute[] | null
  today: Today | null
  attempts: AttemptsByHalfHour | null
  timesToAnswer: TimesToAnswer | null
}

/** The user name is null if the letters are of several consumers, or of one that was deleted. */
type BatchOfConsumer = ListedBatch & { consumerUserName: string | null }

type LiveFactsOptions = {
  db: Db
  figures: () => Promise<Figures>
  queues: () => Promise<ManagedQueue[]>
  batches: (batchesMax: number) => Promise<ListedBatch[]>
  failedTasks: (tasksMax: number) => Promise<FailedTask[]>
  onError: (error: Error) => void
}

/**
 * Returns a function that reads the data of the page, at most once a second for all readers. Expensive parts are read
 * every few seconds. The data contains only ids, classes and figures.
 */
export function readLiveFacts({
  db,
  figures,
  queues,
  batches,
  failedTasks,
  onError,
}: LiveFactsOptions) {
  const failed = shareRecent(() => failedTasks(rowsMax), slowMsMax)
  const turns = shareRecent(() => listCallbackTurns(db, turnRowsMax), recentMsMax)
  const tasks = shareRecent(() => listPeriodicTasks(db), slowMsMax)
  const failingSteps = shareRecent(() => listFailingSteps(db, rowsMax), recentMsMax)
  const deadCallbacks = shareRecent(() => listDeadCallbacks(db, rowsMax), slowMsMax)
  const origins = shareRecent(() => listFailingOrigins(db), slowMsMax)
  const runs = shareRecent(() => readRunsByDeadline(db, runRowsMax), slowMsMax)
  const backlogs = shareRecent(() => readBacklogs(db, backlogsMax), slowMsMax)
  const due = shareRecent(() => readDueToday(db), slowMsMax)
  const flow = shareRecent(() => readFlow(db, { minutes: flowMinutes, now: new Date() }), flowMsMax)
  const today = shareRecent(() => readToday(db, new Date()), slowMsMax)
  const attempts = shareRecent(() => readAttemptsByHalfHour(db, new Date()), flowMsMax)
  const timesToAnswer = shareRecent(() => readTimesToAnswer(db, new Date()), flowMsMax)

  const orNull = <Value>(reading: Promise<Value>): Promise<Value | null> =>
    reading.catch((error: Error) => {
      onError(error)
      return null
    })
  return shareRecent(async (): Promise<LiveFacts> => {
    const parts = await Promise.all([
      orNull(figures()),
      orNull(queues()),
      orNull(batches(batchRowsMax).then((listed) => nameConsumers(db, listed))),
      orNull(failingSteps()),
      orNull(deadCallbacks()),
      orNull(origins()),
      orNull(runs()),
      orNull(flow()),
      orNull(due()),
      orNull(backlogs()),
      orNull(failed()),
      orNull(today()),
      orNull(attempts()),
      orNull(timesToAnswer()),
      orNull(turns()),
      orNull(tasks()),
    ])
    return {
      at: new Date(),
      figures: parts[0],
      concerns:
        parts[0] &&
        mostUrgentFirst([
          ...listPausedQueues(parts[1] ?? []),
          ...(parts[8] ? listDueConcerns(parts[8]) : []),
          ...listConcerns(parts[0], new Date()),
        ]),
      queues: parts[1],
      batches: parts[2],
      failingSteps: parts[3],
      deadCallbacks: parts[4],
      failingOrigins: parts[5],
      runs: parts[6],
      flow: parts[7],
      due: parts[8],
      backlogs: parts[9],
      failedTasks: parts[10],
      today: parts[11],
      attempts: parts[12],
      timesToAnswer: parts[13],
      turns: parts[14],
      tasks: parts[15],
    }
  }, recentMsMax)
}

async function nameConsumers(db: Db, batches: readonly ListedBatch[]): Promise<BatchOfConsumer[]> {
  const ids = batches.flatMap(({ consumerId }) => (consumerId === null ? [] : [consumerId]))
  const { rows } = await sql<{ id: string; name: string }>`
    select id, user_name as name from consumer where id = any (${ids}::uuid[])`.execute(db)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return batches.map((batch) => ({
    ...batch,
    consumerUserName: names.get(batch.consumerId ?? '') ?? null,
  }))
}

async function listFailingOrigins(db: Db): Promise<ListedCallbackOrigin[]> {
  const origins = await listCallbackOriginPage(db, { originsMax })
  return origins.filter(({ breaker, failuresInRow }) => breaker !== 'closed' || failuresInRow > 0)
}

/**
 * The number of print jobs received, of letters despatched by a posting, and of attempts to deliver callbacks, in one
 * minute.
 */
type FlowMinute = {
  minutesAgo: number
  came: number
  despatched: number
  delivered: number
  failed: number
}

/**
 * Reads the last minutes, oldest first, with the current minute last. Print jobs and attempts are counted in periods of
 * ten seconds, which last for at least two hours.
 */
export async function readFlow(
  db: Db,
  { minutes, now }: { minutes: number; now: Date },
): Promise<FlowMinute[]> {
  const { rows } = await sql<FlowMinute>`
    with moved as (
      select floor(extract(epoch from ${now}::timestamptz - state::timestamptz) / 60)::integer as ago,
        case what when 'submission' then 'came' else subject end as what, count
      from (select what, subject, state, count from current_count
        where what in ('submission', 'attempt')
          and state > period_of_submission(${now}::timestamptz - ${minutes}::integer * interval '1 minute')
        offset 0) counted
      union all
      select floor(extract(epoch from ${now}::timestamptz - confirmed_at) / 60)::integer, 'despatched', confirmed_count
      from posting where confirmed_at > ${now}::timestamptz - ${minutes}::integer * interval '1 minute'
    )
    select minute as "minutesAgo", ${sumOf('came')}, ${sumOf('despatched')}, ${sumOf('delivered')}, ${sumOf('failed')}
    from generate_series(0, ${minutes - 1}::integer) as minute
    left join moved on greatest(moved.ago, 0) = minute
    group by minute order by minute desc`.execute(db)
  return rows
}

function sumOf(what: 'came' | 'despatched' | 'delivered' | 'failed') {
  return sql`coalesce(sum(count) filter (where what = ${what}), 0)::bigint as ${sql.ref(what)}`
}

/** The letters of a consumer that are not ended: how many have not entered production, and how many are in it. */
type BacklogOfConsumer = {
  consumerId: string
  consumerName: string
  beforeProduction: number
  inProduction: number
}

/** Reads the consumers with the most letters before production, at most `consumersMax` of them. */
export async function readBacklogs(db: Db, consumersMax: number): Promise<BacklogOfConsumer[]> {
  const { rows } = await sql<BacklogOfConsumer>`
    select consumer.id as "consumerId", consumer.name as "consumerName",
      coalesce(sum(count) filter (where state <> 'PRODUCTION'), 0)::bigint as "beforeProduction",
      coalesce(sum(count) filter (where state = 'PRODUCTION'), 0)::bigint as "inProduction"
    from current_count
    join contract on contract.id::text = subject
    join consumer on consumer.id = consumer_id
    where what = 'print_job' and state in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION')
    group by consumer.id, consumer.name
    having sum(count) > 0
    order by "beforeProduction" desc, "inProduction" desc, consumer.name
    limit ${consumersMax}`.execute(db)
  return rows
}

/** Print runs in one state with the same expected despatch date. Null: the date is not known yet. */
export type RunsOfDay = {
  /** YYYY-MM-DD, of London. */
  expectedDespatchDate: string | null
  state: PrintRunState
  runs: number
  documents: number
  isOverdue: boolean
}

/**
 * Reads print runs by day: those that are neither closed nor voided, limited to the first `rowsMax` rows, and closed
 * ones of the last days. Each provider has few runs of a day, which an index finds.
 */
export async function readRunsByDeadline(db: Db, rowsMax: number): Promise<RunsOfDay[]> {
  const { rows } = await sql<Omit<RunsOfDay, 'isOverdue'>>`
    with run as (
      (select expected_despatch_on, state, count(*) as runs,
        coalesce(sum(coalesce(document_count, gathered_count)), 0)::bigint as documents
      from print_run where state not in ('CLOSED', 'VOIDED')
      group by expected_despatch_on, state
      order by expected_despatch_on nulls last, state
      limit ${rowsMax})
      union all
      select closed.expected_despatch_on, 'CLOSED', count(*), coalesce(sum(closed.document_count), 0)::bigint
      from provider cross join lateral (
        select expected_despatch_on, document_count from print_run
        where provider_id = provider.id and state = 'CLOSED'
          and coalesce(expected_despatch_on, 'infinity'::date)
            between (now() at time zone 'Europe/London')::date - ${closedDays}::integer and date '9999-12-31') closed
      group by closed.expected_despatch_on
    )
    select to_char(expected_despatch_on, 'YYYY-MM-DD') as "expectedDespatchDate", state, runs, documents
    from run order by expected_despatch_on nulls last, state`.execute(db)
  return rows.map((run) => {
    const { state, expectedDespatchDate: dueOn } = run
    return { ...run, isOverdue: dueOn !== null && isRunOverdue({ state, dueOn }, new Date()) }
  })
}
