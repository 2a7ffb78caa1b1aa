import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Ground } from '../ground.ts'

type Counts = { accepted: number; checked: number; despatched: number; failed: number }

/** As often as a line of progress is written. */
const lineMs = 10_000

/** Prints the progress of a day, and calls `tidy` each time. Throws once a letter fails, or when the signal aborts. */
export async function watchDay(
  { tell }: Ground,
  pool: pg.Pool,
  { tidy, signal }: { tidy: () => Promise<void>; signal: AbortSignal },
): Promise<never> {
  for (;;) {
    await pause(lineMs, undefined, { signal })
    const { rows } = await pool.query<Counts>(
      `select count(*) as accepted, count(*) filter (where status not in ('QUARANTINE', 'VALIDATING')) as checked,
         count(*) filter (where status = 'DESPATCHED') as despatched,
         count(*) filter (where status = 'REJECTED' or parked_at is not null) as failed
       from print_job`,
    )
    const { accepted, checked, despatched, failed } = rows[0]!
    tell(`${accepted} accepted, ${checked} checked, ${despatched} despatched`)
    if (failed > 0) throw new Error(`${failed} letters were rejected or parked`)
    await tidy()
  }
}
