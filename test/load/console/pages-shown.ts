import type pg from 'pg'

/** A page of the console, and the name of the table or heading that is drawn last. */
export type ShownPage = {
  name: string
  path: string
  shows: { role: 'table' | 'heading'; name: RegExp }
}

/** Returns the pages that show letters or figures about them, with letters of the database. */
export async function pagesShown(pool: pg.Pool): Promise<ShownPage[]> {
  const first = async (sql: string) => (await pool.query<{ value: string }>(sql)).rows[0]!.value
  const key = await first(`select key as value from print_job where status = 'PRODUCTION' limit 1`)
  const run = await first('select batch_number as value from print_run order by opened_at limit 1')
  const consumer = await first('select consumer_id as value from print_job limit 1')
  const table = (name: RegExp) => ({ role: 'table', name }) as const
  const heading = (name: RegExp) => ({ role: 'heading', name }) as const
  return [
    { name: 'Now', path: '/', shows: table(/^Backlog by stage/) },
    { name: 'letters', path: '/print-jobs', shows: table(/^Letters, newest/) },
    {
      name: 'letters of a consumer that are PENDING',
      path: `/print-jobs?status=PENDING&consumerId=${consumer}`,
      shows: table(/^Letters, newest/),
    },
    { name: 'a letter', path: `/print-job?key=${key}`, shows: heading(/^Timeline/) },
    { name: 'runs', path: '/print-runs', shows: table(/^Sites and shares/) },
    { name: 'a run', path: `/print-runs?run=${run}`, shows: heading(/^Reconciliation/) },
    { name: 'callbacks', path: '/callbacks?status=DELIVERED', shows: table(/^Callbacks that/) },
    { name: 'consumers', path: '/consumers', shows: table(/^Consumers/) },
    { name: 'a consumer', path: `/consumers?consumer=${consumer}`, shows: table(/^Keys/) },
    { name: 'queues', path: '/queue-control', shows: table(/./) },
    { name: 'health', path: '/health', shows: table(/^Checks/) },
    { name: 'metrics', path: '/figures', shows: heading(/^Metrics/) },
    { name: 'audit', path: '/audit', shows: table(/^Audit events/) },
  ]
}
