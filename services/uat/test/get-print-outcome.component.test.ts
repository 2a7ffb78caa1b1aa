import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aProblem } from '@despatch/testing/a-problem'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { startUat } from './a-uat-service.ts'

let documents = 0

const uat = await shared(startUat())
await uat.db.insertInto('provider').values({ id: 'factory', name: 'Factory' }).execute()
await uat.db
  .insertInto('print_run')
  .values({
    batch_number: 'R1',
    provider_id: 'factory',
    print_location: 'NORTH',
    despatch_method: 'SECOND',
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: true,
    state: 'OPEN',
  })
  .execute()

async function aDocumentFor(recipientName: string): Promise<string> {
  const submission = aSubmission(await insertConsumer(uat.db), {
    standardParams: { ...someStandardParams, recipientName },
  })
  await saveSubmissions(uat.pool, [submission])
  documents += 1
  const documentId = `D${documents}`
  await uat.db
    .insertInto('print_run_document')
    .values({
      batch_number: 'R1',
      document_id: documentId,
      print_job_key: submission.key,
      sha256: Buffer.alloc(32),
      bytes: 1,
      pages: 1,
      sheets: 1,
    })
    .execute()
  return documentId
}

const get = async (documentId: string) => {
  const answer = await uat.api.inject({ method: 'GET', url: `/uat/print-outcomes/${documentId}` })
  return { status: answer.statusCode, body: answer.json() }
}

test.each([
  ['Ms A Person', { outcome: 'print' }],
  ['UAT SPOIL', { outcome: 'spoil', reasonCode: 'SMUDGED', reason: 'The toner is smudged' }],
  ['UAT RETURN R01', { outcome: 'return', reasonCode: 'R01' }],
])('the outcome of a document for %s is %o', async (recipientName, body) => {
  expect(await get(await aDocumentFor(recipientName))).toEqual({ status: 200, body })
})

test('an unknown document is not found', async () => {
  expect(await get('D999')).toEqual(
    aProblem(404, { status: '404', code: 'NotFound', detail: 'No document D999' }),
  )
})

test('a recipient is never logged', async () => {
  await get(await aDocumentFor('Ms Quixotic Recipient'))

  expect(uat.lines.length).toBeGreaterThan(0)
  expect(uat.lines.join()).not.toContain('Quixotic')
})
