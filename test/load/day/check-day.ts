import type pg from 'pg'
import type { Arrivals } from '../callbacks/receivers.ts'
import type { Figure } from '../comparison.ts'

type Counts = {
  saved: number
  notDespatched: number
  notOnce: number
  notPrintedOnce: number
  callbackIds: string[]
  undelivered: number
}

/** Counts what went wrong in a day: each letter must be printed and despatched once, and each callback received. */
export async function countFailures(
  pool: pg.Pool,
  { letters, arrivals }: { letters: number; arrivals: Arrivals },
): Promise<Figure[]> {
  const { rows } = await pool.query<Counts>(
    `select
       (select count(*) from print_job) as saved,
       (select count(*) from print_job where status <> 'DESPATCHED') as "notDespatched",
       (select count(*) from print_job where 1 <> (
         select count(*) from print_job_event where print_job_key = key and transition = 'despatch')) as "notOnce",
       (select count(*) from print_job where 1 <> (
         select count(*) from print_run_document document
         where document.print_job_key = key and removed_at is null and outcome = 'DESPATCHED' and attempt = 1
       )) as "notPrintedOnce",
       (select coalesce(array_agg(id::text), '{}') from callback) as "callbackIds",
       (select count(*) from callback where state <> 'DELIVERED') as undelivered`,
  )
  const { saved, notDespatched, notOnce, notPrintedOnce, callbackIds, undelivered } = rows[0]!
  const notReceived = callbackIds.filter((id) => arrivals.arrivedAtMs[id] === undefined).length
  const failures = {
    'letters that were not saved once': Math.abs(letters - saved),
    'letters that are not despatched': notDespatched,
    'letters without exactly one despatch': notOnce,
    'letters that were not printed in exactly one run': notPrintedOnce,
    'letters without exactly one callback': Math.abs(letters - callbackIds.length),
    'callbacks that were not received': notReceived,
    'callbacks that are not recorded as delivered': undelivered,
  }
  return Object.entries(failures).map(([name, count]) => ({
    name,
    ours: [count],
    target: { sense: 'at most', figure: 0 },
  }))
}
