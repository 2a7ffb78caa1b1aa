import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import type {
  ListedPrintJobsResponse,
  PrintJobDetailsResponse,
} from '@despatch/contracts/administration/print-job'
import { eventually } from '@despatch/testing/eventually'
import { expect } from 'vitest'
import { aCaller } from './a-caller.ts'
import type { Consumer } from './a-consumer.ts'
import { runCommand } from './despatch-command.ts'
import { expectStatus } from './expect-status.ts'
import { fetchPatiently } from './fetch-patiently.ts'
import type { Credentials } from './start-despatch.ts'

/** The columns that hold the reasons that operators give. */
export const reasonColumns = [
  'audit_event.detail',
  'bulk_action.reason',
  'print_job.hold_reason',
  'print_job_event.reason',
]

export type OperatedCanaries = {
  /** The answers that refuse a request, and no others. They must repeat no value. */
  refusals: string
  /** What the operators' commands printed. */
  output: string
}

type Given = {
  directory: string
  /** The session cookie of an operator who is also an admin. */
  cookie: string
  consumer: Consumer
  /** What the consumer submits, without its send control. */
  letter: object
  /** The canary in the corrected address and in search terms. */
  personal: string
  /** The canary in every reason. */
  said: string
}

/**
 * Uses the operators' actions on one letter and on many: searches for it by personal data, reads it, corrects its
 * address, exports its evidence and holds it in bulk. Tries each in refused ways too.
 */
export async function operateWithCanaries(
  { opsUrl }: Credentials,
  { directory, cookie, consumer, letter, personal, said }: Given,
): Promise<OperatedCanaries> {
  const refusals: string[] = []
  const headers = { cookie, 'x-despatch-console': '1', origin: opsUrl }
  const call = expectStatus(aCaller(`${opsUrl}/administration/v1`, headers, fetchPatiently))
  const ask: typeof call = async (status, ...request) => {
    const text = await call(status, ...request)
    if (status >= 400) refusals.push(text)
    return text
  }

  const id = await consumer.submit({ ...letter, sendControl: { hold: true } })
  await consumer.reached(id, 'PENDING')
  const found = JSON.parse(await ask(200, 'POST', '/print-jobs/search', { find: id }))
  const { printJobKey: key } = (found as ListedPrintJobsResponse).printJobs[0]!
  const printJob = `/print-jobs/${key}`
  const reason = `${said} reason`

  await ask(200, 'POST', '/print-jobs/search', { find: `${personal} line` })
  await ask(400, 'POST', '/print-jobs/search', { find: 7, status: personal })
  await ask(400, 'POST', '/print-jobs/search', `{ "${personal}"`)
  await ask(404, 'GET', `/print-jobs?find=${personal}`)
  await fetch(`${opsUrl}/print-jobs?find=${personal}`, { headers: { cookie } })
  await ask(200, 'GET', `${printJob}/proof.pdf`)
  await ask(404, 'GET', `${printJob}/proof/99.png`)

  await ask(200, 'POST', `${printJob}/hold`, { reason })
  const address = { unstructuredAddress: { line1: `${personal} new`, postcode: 'ZE1 0AA' } }
  const tooLong = { unstructuredAddress: { line1: personal.repeat(9), postcode: personal } }
  await ask(400, 'POST', `${printJob}/address`, { address: tooLong, reason })
  await ask(400, 'POST', `${printJob}/address`, `{ "${personal}"`)
  await ask(200, 'POST', `${printJob}/address`, { recipientName: personal, address, reason })
  const line = ['--line1', `${personal} newer`, '--postcode', 'ZE1 0AA', '--reason', reason]
  const corrected = await runCommand(directory, ['jobs', 'override-address', key, ...line])
  expect(corrected).toMatchObject({ code: 0, stderr: '' })
  const refused = await runCommand(directory, [
    ...['jobs', 'override-address', key, '--line1', personal, '--postcode', personal],
    ...['--reason', reason],
  ])
  expect(refused.code).toBe(1)
  const shown = JSON.parse(await ask(200, 'GET', printJob)) as PrintJobDetailsResponse
  expect(shown.printableAddress?.line1).toBe(`${personal} newer`)
  expect(await ask(200, 'GET', `${printJob}/evidence.zip`)).toContain(`${personal} newer`)

  await ask(400, 'POST', '/bulk-actions', { action: personal, printJobKeys: [personal], reason })
  const plan = { action: 'hold', printJobKeys: [key], reason }
  const planned = JSON.parse(
    await ask(201, 'POST', '/bulk-actions', plan),
  ) as BulkActionDetailsResponse
  const { bulkActionId, digest, printJobCount } = planned
  const bulkAction = `/bulk-actions/${bulkActionId}`
  await ask(409, 'POST', `${bulkAction}/confirm`, { digest: '0'.repeat(64), printJobCount })
  await ask(200, 'POST', `${bulkAction}/confirm`, { digest, printJobCount })
  await eventually(async () => (await ask(200, 'GET', bulkAction)).includes('"ENDED"'), {
    message: 'the bulk action has ended',
  })
  return {
    refusals: refusals.join('\n'),
    output: [corrected, refused].map(({ stdout, stderr }) => stdout + stderr).join('\n'),
  }
}
