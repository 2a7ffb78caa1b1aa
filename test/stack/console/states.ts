import { eventually } from '@despatch/testing/eventually'
import { aLetter } from './a-letter.ts'
import type { ConsoleGround } from './console-ground.ts'

/** Waits until a factory asks for a reprint that a second person must authorise, and returns its document. */
export async function aWaitingReprint({ query }: ConsoleGround): Promise<string> {
  return eventually(
    async () => {
      const asked = await query("select document_id from reprint where state = 'WAITING'")
      return (asked[0] as { document_id: string } | undefined)?.document_id
    },
    { deadlineMs: 60_000, message: 'a reprint is asked for' },
  )
}

/**
 * Submits a letter and parks it as eight attempts without the object store do. No batch is formed until it is parked.
 */
export async function aParkedLetter({ query, consumer }: ConsoleGround): Promise<string> {
  await query('begin')
  await query('lock table letter_batch in exclusive mode')
  const id = await consumer.submit(aLetter())
  await query(
    `update print_job set parked_at = now(), step_epoch = step_epoch + 1, step_failures = 7,
       step_failure = 'StoredFileGone' where id = $1`,
    [id],
  )
  await query('commit')
  return id
}
