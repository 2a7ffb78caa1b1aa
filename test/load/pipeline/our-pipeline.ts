import { randomUUID } from 'node:crypto'
import { hashApiKey } from '@despatch/access/api-keys'
import type { Database } from '@despatch/store/database'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import type pg from 'pg'
import { profileFlags, type Settings } from '../command-line.ts'
import { makeConsumer } from '../consumer.ts'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'
import type { Progress, Side } from './rivals.ts'
import { readClock } from './rivals.ts'

/** As many submissions as intake saves in one commit. */
const submissionsPerStatement = 64

/** A consumer whose letters are saved as intake saves them. */
export type Sender = Pick<Submission, 'consumerId' | 'contractId' | 'apiKeyHash'>

export async function openSender(
  ground: Pick<Ground, 'environment'>,
  { db }: Database,
  userName: string,
): Promise<Sender> {
  const { consumerId, apiKey } = await makeConsumer(db, ground, userName)
  const contract = await db
    .selectFrom('contract')
    .select('id')
    .where('consumer_id', '=', consumerId)
    .where('job_type', '=', 'LETTER')
    .executeTakeFirstOrThrow()
  const apiKeyHash = hashApiKey(apiKey).toString('hex')
  return { consumerId, contractId: contract.id, apiKeyHash }
}

export async function startService(
  ground: Ground,
  settings: Settings,
  environment: Record<string, string> = {},
): Promise<Program> {
  const { program } = await ground.serve('services/pipeline/src/main.ts', {
    environment: { DESPATCH_PIPELINE_CONCURRENCY: String(settings.concurrency), ...environment },
    nodeFlags: profileFlags(settings),
  })
  return program
}

/** Starts the pipeline service with print jobs to do: letters without files. */
export async function startPipeline(
  ground: Ground,
  settings: Settings,
  database: Database,
): Promise<Side> {
  const sender = await openSender(ground, database, 'pipeline-consumer')
  const program = await startService(ground, settings)
  return pipelineSide(database, {
    name: 'despatch',
    program,
    makeLetters: async (jobs) =>
      Array.from({ length: jobs }, (_, number) => letter(sender, number)),
  })
}

/** The pipeline with letters of one kind. `makeLetters` does what does not count. */
export function pipelineSide(
  { pool }: Database,
  {
    name,
    program,
    makeLetters,
  }: Pick<Side, 'name' | 'program'> & { makeLetters: (jobs: number) => Promise<Submission[]> },
): Side {
  let acceptedAt = new Date()
  return {
    name,
    program,
    processName: 'pipeline',
    accept: async (jobs) => {
      await saveAtOnce(pool, await makeLetters(jobs))
      acceptedAt = await readClock(pool)
      return acceptedAt
    },
    progress: async () => {
      const { rows } = await pool.query<Progress & { refused: number }>(
        `select count(*) filter (where status = 'PENDING') as pending,
           max(at) filter (where status = 'PENDING') as "lastAt",
           count(*) filter (where status = 'REJECTED' or transition = 'park') as refused
         from print_job_event where at > $1`,
        [acceptedAt],
      )
      const { refused, ...progress } = rows[0]!
      if (refused > 0) throw new Error(`The pipeline refused or parked ${refused} print jobs`)
      return progress
    },
    isAtRest: async () => {
      const { rows } = await pool.query<{ isAtRest: boolean }>(
        'select not exists (select from unstored_document) as "isAtRest"',
      )
      return rows[0]!.isAtRest
    },
  }
}

/** One transaction, so that the pipeline begins only when all are saved. */
export async function saveAtOnce(pool: pg.Pool, submissions: readonly Submission[]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (let first = 0; first < submissions.length; first += submissionsPerStatement) {
      const some = submissions.slice(first, first + submissionsPerStatement)
      const outcomes = await saveSubmissions(client as unknown as pg.Pool, some)
      const refused = outcomes.find(({ kind }) => kind !== 'saved')
      if (refused) throw new Error(`A print job was not saved: ${refused.kind}`)
    }
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** Each letter has a different name on it, so that each document is a different object. */
export function letter(sender: Sender, number: number): Submission {
  return {
    ...sender,
    key: randomUUID(),
    id: randomUUID(),
    producedAs: 'SECOND',
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: `Ms Rosalind Appleyard ${number}`,
      address: {
        unstructuredAddress: { line1: '12 Mill Lane', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    customParams: [{ key: 'issueNumber', value: '07' }],
    callbackParams: {},
    callbackDestinationSealed: Buffer.from('sealed destination').toString('hex'),
    callbackOrigin: 'https://upstream.example',
    callbackStatuses: ['DESPATCHED', 'REJECTED'],
    correlationId: randomUUID(),
    idempotencyKey: null,
    requestFingerprint: '00'.repeat(32),
    notBefore: null,
    heldBy: null,
    traceContext: null,
    searchTerms: null,
    unknownMembers: null,
    template: null,
    templateLanguages: null,
    findings: null,
    files: [],
  }
}
