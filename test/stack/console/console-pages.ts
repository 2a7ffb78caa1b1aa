import type { ConsoleGround } from './console-ground.ts'

/** A page with content, and the name of the table, form or heading that is rendered last. */
export type ShownPage = {
  name: string
  path: string
  shows: { role: 'table' | 'form' | 'heading'; name: string | RegExp }
  /** The name of a collapsed section, which is expanded for the check. */
  unfolds?: string
}

/** Returns every page that a signed-in operator sees, each with data from the ground. */
export async function pagesOf({ query }: ConsoleGround): Promise<ShownPage[]> {
  const first = async (sql: string) => ((await query(sql))[0] as { value: string }).value
  const key = await first(
    'select print_job_key as value from callback order by created_at desc limit 1',
  )
  const heldKey = await first('select key as value from print_job where held_at is not null')
  const callbackId = await first(
    'select id as value from callback order by created_at desc limit 1',
  )
  const batchNumber = await first(
    'select batch_number as value from print_run order by opened_at desc limit 1',
  )
  const bulkActionId = await first('select id as value from bulk_action limit 1')
  const consumerId = await first(
    "select id as value from consumer where user_name = 'demo-consumer'",
  )
  return [
    { name: 'now', path: '/', shows: { role: 'table', name: 'Print jobs' } },
    {
      name: 'find',
      path: '/print-jobs',
      shows: { role: 'table', name: 'Print jobs, newest first' },
    },
    {
      name: 'print-job',
      path: `/print-job?key=${key}`,
      shows: { role: 'table', name: 'Timeline' },
    },
    {
      name: 'held-print-job',
      path: `/print-job?key=${heldKey}`,
      shows: { role: 'table', name: 'Timeline' },
      unfolds: 'Correct the address',
    },
    {
      name: 'callbacks',
      path: `/callbacks?callback=${callbackId}&status=DELIVERED`,
      shows: { role: 'table', name: 'Attempts' },
    },
    {
      name: 'print-runs',
      path: `/print-runs?run=${batchNumber}`,
      shows: { role: 'heading', name: 'Reconciliation' },
    },
    {
      name: 'reprints',
      path: '/print-runs',
      shows: { role: 'form', name: /^Authorise the reprint of / },
    },
    {
      name: 'bulk-actions',
      path: '/bulk-actions',
      shows: { role: 'table', name: 'Bulk actions, newest first' },
    },
    {
      name: 'bulk-action',
      path: `/bulk-actions?bulk=${bulkActionId}`,
      shows: { role: 'table', name: 'Print jobs and outcomes' },
    },
    {
      name: 'queues',
      path: '/queue-control',
      shows: { role: 'heading', name: 'callback' },
      unfolds: 'Pause letters…',
    },
    {
      name: 'consumers',
      path: `/consumers?consumer=${consumerId}`,
      shows: { role: 'table', name: 'Consumers' },
    },
  ]
}
