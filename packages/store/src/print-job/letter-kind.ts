import { prepared } from '@despatch/postgres/prepared'
import type { Kind, Placed } from '@despatch/work/kind'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { laneOfJob, type TakenStep } from './steps.ts'

/**
 * Letters as a kind of work: print jobs that are to be checked and composed. Their version is `step_epoch`. The lanes are
 * those of `lanes` in the domain.
 */
export const letterKind = {
  name: 'letter',
  lanes: {
    plain: { guessMs: 5, batchMin: 20 },
    files: { guessMs: 40 },
    slow: { guessMs: 3_000, isSlow: true },
  },
  queues: {
    ordinary: { name: 'letters', offeredMax: 4, offeredSeconds: 5 },
    slow: { name: 'slow', offeredMax: 2, offeredSeconds: 15 },
  },
  read: readLetters,
  interrupt: interruptLetters,
} satisfies Kind<TakenStep>

/**
 * SQL: the print jobs that these places name, as `job`. The subquery hides how many there are: otherwise a plan for each
 * number seems cheaper than the one that is kept.
 */
const placedJobs = ({ subjects, versions }: Placed) => sql`
  unnest((select ${subjects}::uuid[]), ${versions}::integer[]) as letter (key, epoch)
  join print_job job on job.key = letter.key and job.step_epoch = letter.epoch`
/** SQL: "is true" makes the planner look up the keys instead of reading all rows of the status. */
const isToBeChecked = sql.raw(
  `(job.status in ('QUARANTINE', 'VALIDATING')) is true and job.deleted_at is null and job.parked_at is null`,
)

async function readLetters(tx: Tx, placed: Placed): Promise<TakenStep[]> {
  const { rows } = await sql<TakenStep>`${prepared('read-letters')}
    select job.key, job.consumer_id as "consumerId", job.status, job.step_epoch as epoch,
      job.step_starts + 1 as starts, job.step_failures as failures,
      job.standard_params as "standardParams", job.custom_params as "customParams", job.created_at as "submittedAt",
      (extract(epoch from now() - job.created_at) * 1000)::double precision as "ageMs",
      contract.production, contract.supplied_file_key as "suppliedFileKey", contract.plex,
      contract.prints_handling_instruction as "printsHandlingInstruction", contract.pages_max as "pagesMax",
      contract.rule_set as "ruleSet", contract.address_placement as "addressPlacement", contract.marks,
      contract.strict, contract.refused_rules as "refusedRules",
      'D' || job.document_number as "documentId", job.template, job.template_languages as "templateLanguages",
      job.trace_context as "traceContext",
      coalesce((
        select json_agg(json_build_object('position', position, 'fileId', file_id, 'source', source,
          'uploadId', upload_id, 'sha256', encode(sha256, 'hex'), 'bytes', bytes, 'mediaType', media_type,
          'pinned', pinned_at is not null) order by position)
        from print_job_file where print_job_key = job.key), '[]') as files
    from ${placedJobs(placed)}
    join contract on contract.id = job.contract_id
    where ${isToBeChecked}`.execute(tx)
  return rows
}

/** Each gets a start more, and a place in the slow lane, so that a letter that kills workers is found. */
async function interruptLetters(tx: Tx, batches: readonly Placed[]): Promise<number> {
  const placed = {
    subjects: batches.flatMap(({ subjects }) => subjects),
    versions: batches.flatMap(({ versions }) => versions),
  }
  const { rows } = await sql`
    with interrupted as materialized (
      select job.key from ${placedJobs(placed)} where ${isToBeChecked} order by job.key for no key update of job
    ), job as (
      update print_job set step_epoch = step_epoch + 1, step_starts = step_starts + 1
      from interrupted where print_job.key = interrupted.key
      returning print_job.key, print_job.consumer_id, print_job.step_epoch, print_job.step_starts,
        print_job.step_failures, print_job.template
    )
    insert into letter_waiting (lane, consumer_id, subject, version)
    select ${laneOfJob}, consumer_id, key, step_epoch from job
    returning seq`.execute(tx)
  return rows.length
}
