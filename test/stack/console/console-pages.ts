import type { ConsoleGround } from './console-ground.ts'

/** A page with content, and the name of the table, list or heading that is rendered last. */
export type ShownPage = {
  name: string
  path: string
  shows: { role: 'table' | 'list' | 'heading'; name: string }
  /** The name of a collapsed section, which is expanded for the check. */
  unfolds?: string
  /** The name of a button that opens a dialog, which is checked too. */
  asks?: string
}

/** Identifies one thing of each kind that has a page. */
type Places = {
  [Name in
    | 'key'
    | 'heldKey'
    | 'rejectedKey'
    | 'callbackId'
    | 'batchNumber'
    | 'bulkActionId'
    | 'consumerId']: string
}

async function findPlaces({ query }: ConsoleGround): Promise<Places> {
  const first = async (sql: string) => ((await query(sql))[0] as { value: string }).value
  const newest = 'from callback where print_job_key is not null order by created_at desc limit 1'
  return {
    key: await first(`select print_job_key as value ${newest}`),
    heldKey: await first('select key as value from print_job where held_at is not null'),
    rejectedKey: await first(
      "select key as value from print_job where status = 'REJECTED' limit 1",
    ),
    callbackId: await first(`select id as value ${newest}`),
    batchNumber: await first(
      'select batch_number as value from print_run order by opened_at desc limit 1',
    ),
    bulkActionId: await first('select id as value from bulk_action limit 1'),
    consumerId: await first("select id as value from consumer where user_name = 'demo-consumer'"),
  }
}

/** Returns every page that a signed-in operator sees, each with data from the ground. */
export async function pagesOf(ground: ConsoleGround): Promise<ShownPage[]> {
  const { key, heldKey, rejectedKey, callbackId, batchNumber, bulkActionId, consumerId } =
    await findPlaces(ground)
  const timeline = { role: 'list', name: 'Timeline' } as const
  const table = (name: string) => ({ role: 'table', name }) as const
  return [
    { name: 'now', path: '/', shows: table('Backlog by stage') },
    { name: 'letters', path: '/print-jobs', shows: table('Letters, newest first') },
    { name: 'letter', path: `/print-job?key=${key}`, shows: timeline },
    {
      name: 'letter-held',
      path: `/print-job?key=${heldKey}`,
      shows: timeline,
      asks: 'Correct the address…',
    },
    {
      name: 'letter-rejected',
      path: `/print-job?key=${rejectedKey}`,
      shows: timeline,
    },
    {
      name: 'callbacks',
      path: '/callbacks?status=DELIVERED',
      shows: table('Callbacks that are DELIVERED'),
    },
    {
      name: 'callback',
      path: `/callbacks?callback=${callbackId}`,
      shows: { role: 'list', name: 'Attempts' },
      unfolds: 'Request and answer',
    },
    {
      name: 'run',
      path: `/print-runs?run=${batchNumber}`,
      shows: { role: 'heading', name: 'Reconciliation' },
    },
    {
      name: 'runs',
      path: '/print-runs',
      shows: table('Sites and shares'),
      asks: 'Change shares…',
    },
    { name: 'bulk-actions', path: '/bulk-actions', shows: table('Bulk actions, newest first') },
    {
      name: 'bulk-action',
      path: `/bulk-actions?bulk=${bulkActionId}`,
      shows: table('Letters and outcomes'),
    },
    { name: 'templates', path: '/templates', shows: table('Templates') },
    {
      name: 'template',
      path: '/templates?template=renewal',
      shows: { role: 'list', name: 'Pages' },
    },
    {
      name: 'queues',
      path: '/queue-control',
      shows: table('Batches of letters'),
      asks: 'Pause letters…',
    },
    { name: 'consumers', path: '/consumers', shows: table('Consumers') },
    {
      name: 'consumer',
      path: `/consumers?consumer=${consumerId}`,
      shows: table('Keys'),
      asks: 'Replace API key…',
    },
    { name: 'health', path: '/health', shows: table('Checks') },
    { name: 'metrics', path: '/figures', shows: { role: 'heading', name: 'Metrics' } },
    { name: 'audit', path: '/audit', shows: table('Audit events, newest first') },
  ]
}
