import { expect, test } from 'vitest'
import type { Session } from '../session.ts'
import { findPrintJobKey } from './find-print-job-key.ts'

const key = '11111111-1111-4111-8111-111111111111'
const other = '22222222-2222-4222-8222-222222222222'

/** A session whose search returns these print jobs. */
function sessionOf(printJobs: { printJobKey: string; id: string; userName?: string }[]) {
  const asked: unknown[] = []
  const send = async (...request: unknown[]) => {
    asked.push(request)
    return { printJobs }
  }
  return { asked, session: { send } as unknown as Session }
}

test.for<[what: string, job: string, found: { printJobKey: string; id: string }[], key: string]>([
  ['by its id', 'job-1', [{ printJobKey: key, id: 'job-1' }], key],
  ['by its key', key, [{ printJobKey: key, id: 'job-1' }], key],
  ['by its key in capitals', key.toUpperCase(), [{ printJobKey: key, id: 'job-1' }], key],
  [
    'by its id, though a search finds others',
    'job-1',
    [
      { printJobKey: other, id: 'job-12' },
      { printJobKey: key, id: 'job-1' },
    ],
    key,
  ],
  ['by a key that a search does not look for', key, [], key],
])('a print job is meant %s', async ([, job, found, expected]) => {
  const { session, asked } = sessionOf(found)

  expect(await findPrintJobKey(session, job)).toBe(expected)
  expect(asked).toEqual([['POST', '/print-jobs/search', { find: job }]])
})

test('an unknown id, and one that two consumers have, end the command', async () => {
  const none = sessionOf([{ printJobKey: key, id: 'job-12' }]).session
  const two = sessionOf([
    { printJobKey: key, id: 'job-1', userName: 'one' },
    { printJobKey: other, id: 'job-1', userName: 'two' },
  ]).session

  await expect(findPrintJobKey(none, 'job-1')).rejects.toThrow('there is no print job job-1')
  await expect(findPrintJobKey(two, 'job-1')).rejects.toThrow(
    `several consumers have a print job job-1; give its key: ${key} of one, ${other} of two`,
  )
})
