import { eventually } from '@despatch/testing/eventually'
import { someStandardParams } from '@despatch/testing/print-job-builders'
import { afterEach, expect, test } from 'vitest'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

let pipeline: TestPipeline

afterEach(() => pipeline.close())

async function submitTo(environment: 'uat' | 'production', recipientName: string) {
  pipeline = await aPipeline(undefined, { DESPATCH_ENVIRONMENT: environment })
  await pipeline.start()
  const standardParams = { ...someStandardParams, recipientName }
  return pipeline.submit({ standardParams })
}

const read = (key: string) =>
  pipeline.database.db
    .selectFrom('print_job')
    .select(['status', 'comment', 'document_pages'])
    .where('key', '=', key)
    .executeTakeFirstOrThrow()

/** Returns the transitions, each with the rules of its findings. */
const eventsOf = async (key: string) => {
  const events = await pipeline.database.db
    .selectFrom('print_job_event')
    .select(['transition', 'findings'])
    .where('print_job_key', '=', key)
    .orderBy('sequence')
    .execute()
  return events.map(({ transition, findings }) =>
    [transition, ...((findings ?? []) as { rule: string }[]).map(({ rule }) => rule)].join(' '),
  )
}

test('in the test environment a predefined recipient is rejected, with a finding', async () => {
  const key = await submitTo('uat', 'UAT REJECT ENCRYPTED PDF')

  await pipeline.reached(key, 'REJECTED')

  const comment = 'File scan: The PDF is encrypted.'
  expect(await read(key)).toEqual({ status: 'REJECTED', comment, document_pages: null })
  expect(await eventsOf(key)).toEqual(['submit', 'release', 'reject pdf-encrypted'])
})

test('in the test environment a slow recipient waits in its status, with a later wake-up', async () => {
  const key = await submitTo('uat', 'UAT SLOW VALIDATING')
  await pipeline.reached(key, 'VALIDATING')

  const waits = () =>
    pipeline.database.db
      .selectFrom('letter_later')
      .innerJoin('print_job', 'key', 'subject')
      .select(['status', 'step_failures', 'due_at', 'created_at'])
      .where('key', '=', key)
      .executeTakeFirst()
  const { status, step_failures, due_at, created_at } = await eventually(waits, {
    message: 'the letter waits',
  })

  expect({ status, step_failures }).toEqual({ status: 'VALIDATING', step_failures: 0 })
  // it is due a minute after the submission, which this machine's clock measures
  expect(due_at.getTime() - created_at.getTime()).toBeGreaterThan(50_000)
})

test('in production a predefined recipient gets an ordinary letter', async () => {
  const key = await submitTo('production', 'UAT REJECT ENCRYPTED PDF')

  await pipeline.reached(key, 'PENDING')

  expect(await read(key)).toEqual({ status: 'PENDING', comment: null, document_pages: 1 })
})
