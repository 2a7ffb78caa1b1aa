import type pg from 'pg'
import { quint, setOf } from './render-quint.ts'

/** The life of each subject, as a record of the model. */
export type KeptRows = { subject: string; life: string }[]

/** Reads all lives of a database. Each kind is read by one statement, and so at one point in time. */
export async function readKept(
  database: Queryable,
): Promise<{ printJobs: KeptRows; printRuns: KeptRows; callbacks: KeptRows }> {
  return {
    printJobs: await readPrintJobs(database),
    printRuns: await readPrintRuns(database),
    callbacks: await readCallbacks(database),
  }
}

/** A pool, or the connection of a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>

async function readPrintJobs(database: Queryable): Promise<KeptRows> {
  const { rows } = await database.query<{
    key: string
    status: string
    isHeld: boolean
    isParked: boolean
    isDeleted: boolean
    wants: string[]
    timeline: { sequence: number; name: string; status: string }[]
    owed: string[]
    numbers: number[]
  }>(`
    select key, status, held_at is not null as "isHeld", parked_at is not null as "isParked",
      deleted_at is not null as "isDeleted",
      case when callback_params is null then '{}' else callback_statuses end as wants,
      (select json_agg(json_build_object('sequence', sequence, 'name', transition, 'status', event.status) order by sequence)
        from print_job_event event where print_job_key = key) as timeline,
      array(select callback.status from callback where print_job_key = key and kind = 'status' order by sequence) as owed,
      array(select sequence from callback where print_job_key = key order by sequence) as numbers
    from print_job`)
  return rows.map(({ key, wants, ...life }) => ({
    subject: key,
    life: quint({ ...life, wants: setOf(wants.toSorted()) }),
  }))
}

async function readCallbacks(database: Queryable): Promise<KeptRows> {
  const { rows } = await database.query<{ id: string }>(`
    select id, state, coalesce(end_reason, '') as "endReason", attempts_before as "attemptsBefore", replays,
      array(select number from callback_attempt where callback_id = id order by number) as numbers,
      array(select outcome from callback_attempt where callback_id = id order by number) as attempts
    from callback`)
  return rows.map(({ id, ...life }) => ({ subject: id, life: quint(life) }))
}

type RunRow = {
  batchNumber: string
  state: string
  epoch: number
  inherited: number
  isMoved: boolean
  isClaimed: boolean
  isAcknowledged: boolean
  isRefused: boolean
  /** Whether recalls were answered before or after the provider acknowledged the run. */
  answeredBefore: boolean
  answeredAfter: boolean
  documents: DocumentRow[]
}

type DocumentRow = {
  id: string
  firstAttempt: number
  attempt: number
  progress: string
  outcome: string
  inherited: number
  letter: string
  isPosted: boolean
  /** It was recalled before the provider acknowledged the run. */
  isStoppedFirst: boolean
  events: { kind: string; attempt: number }[]
}

async function readPrintRuns(database: Queryable): Promise<KeptRows> {
  const { rows } = await database.query<RunRow>(`
    select run.batch_number as "batchNumber", run.state, run.print_epoch as epoch, run.moved_from is not null as "isMoved",
      coalesce(origin.print_epoch + (origin.claimed_at is not null)::integer, 1) as inherited,
      run.claimed_at is not null as "isClaimed", run.acknowledged_at is not null as "isAcknowledged",
      run.refusal is not null as "isRefused",
      exists (select from recall_request where batch_number = run.batch_number
        and answered_at < coalesce(run.acknowledged_at, 'infinity')) as "answeredBefore",
      exists (select from recall_request where batch_number = run.batch_number
        and answered_at >= run.acknowledged_at) as "answeredAfter",
      coalesce((
        select json_agg(json_build_object('id', document.document_id, 'firstAttempt', document.first_attempt,
          'attempt', document.attempt, 'progress', coalesce(document.progress, ''),
          'outcome', coalesce(document.outcome, ''),
          'inherited', coalesce(before.attempt + (origin.claimed_at is not null)::integer, 1),
          'letter', case when job.deleted_at is null then job.status else 'DELETED' end,
          'isPosted', document.posting_id is not null,
          'isStoppedFirst', document.outcome = 'RECALLED' and exists (
            select from recall_request join recall_document on recall_id = id
            where batch_number = run.batch_number and document_id = document.document_id
              and answered_at < coalesce(run.acknowledged_at, 'infinity')),
          'events', coalesce((
            select json_agg(json_build_object('kind', type, 'attempt', attempt) order by attempt, type) from print_run_event event
            where event.batch_number = run.batch_number and event.document_id = document.document_id), '[]')
          ) order by document.document_id)
        from print_run_document document
        join print_job job on job.key = document.print_job_key
        left join print_run_document before on before.batch_number = run.moved_from
          and before.document_id = document.document_id
        where document.batch_number = run.batch_number and document.removed_at is null), '[]') as documents
    from print_run run left join print_run origin on origin.batch_number = run.moved_from`)
  return rows.map((run) => ({ subject: run.batchNumber, life: renderRun(run) }))
}

/**
 * Documents with the same history become one document of the model: the state of a run depends on whether such
 * documents exist, not on how many. They are named by their index, so that runs that are alike become one life.
 */
function renderRun(run: RunRow): string {
  const kinds = new Map(run.documents.map((row) => [quint({ ...row, id: '' }), row]))
  const documents = [...kinds.keys()]
    .toSorted()
    .map((kind, index) => ({ ...kinds.get(kind)!, id: `D${index + 1}` }))
  return quint({
    state: run.state,
    epoch: run.epoch,
    inherited: run.inherited,
    isMoved: run.isMoved,
    documents: setOf(
      documents.map(({ id, firstAttempt, attempt, progress, outcome, inherited, letter }) => ({
        id,
        standing: { firstAttempt, attempt, progress, outcome },
        inherited,
        letter,
      })),
    ),
    steps: stepsOf(run, documents),
  })
}

const step = (name: string, ids: string[] = [], attempt = 0, kind = '') => ({
  name,
  ids: setOf(ids),
  attempt,
  kind,
})

/**
 * The rows say what happened, but not always in which order. The steps of a document lead to the same state in every
 * possible order. So they are listed attempt by attempt, in the order of production, with the end last.
 */
function stepsOf(run: RunRow, documents: readonly DocumentRow[]) {
  const released = run.isMoved || run.state === 'OPEN' ? [] : [step('release')]
  if (!run.isClaimed) return run.state === 'CLOSED' ? [...released, step('dissolve')] : released
  const stopped = documents.filter(({ isStoppedFirst }) => isStoppedFirst).map(({ id }) => id)
  const refused = documents.filter(({ outcome }) => outcome === 'REFUSED').map(({ id }) => id)
  const answer = run.isRefused ? step('refuse run') : step('acknowledge', refused)
  return [
    ...released,
    step('claim'),
    ...(run.answeredBefore ? [step('stop', stopped)] : []),
    ...(run.isAcknowledged ? [answer] : []),
    ...(run.answeredAfter ? [step('stop')] : []),
    ...documents.flatMap(stepsOfDocument),
    ...(run.state === 'CLOSED' ? [step('close')] : []),
    ...(run.state === 'VOIDED' ? [step('move')] : []),
  ]
}

const ranks = ['DIVERTED', 'FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED', 'FAILED']

function stepsOfDocument({ id, firstAttempt, attempt, events, ...document }: DocumentRow) {
  const attempts = Array.from({ length: attempt - firstAttempt + 1 }, (_, i) => firstAttempt + i)
  const steps = attempts.flatMap((each) => [
    ...(each > firstAttempt ? [step('reprint', [id], each)] : []),
    ...events
      .filter((event) => event.attempt === each)
      .toSorted((one, other) => ranks.indexOf(one.kind) - ranks.indexOf(other.kind))
      .map(({ kind }) => step('report', [id], each, kind)),
  ])
  return [...steps, ...endOf({ id, events, ...document })]
}

function endOf({
  id,
  outcome,
  isPosted,
  isStoppedFirst,
  events,
}: Pick<DocumentRow, 'id' | 'outcome' | 'isPosted' | 'isStoppedFirst' | 'events'>) {
  if (outcome === 'DESPATCHED') return [step('despatch', [id])]
  if (outcome === 'RECALLED') return isStoppedFirst ? [] : [step('stop', [id])]
  if (outcome === 'FAILED') {
    return events.some(({ kind }) => kind === 'FAILED') ? [] : [step('refuse reprint', [id])]
  }
  return isPosted ? [step('post', [id])] : []
}
