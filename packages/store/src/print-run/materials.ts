import type { Materials } from '@despatch/domain/print-run/weight'
import { sql } from 'kysely'

/** SQL for the materials of the site of `run` now; null if its provider reports none. */
export const materialsOfSite = sql<Materials | null>`(
  select site.capabilities -> 'materials' from print_site site
  where site.provider_id = run.provider_id and site.print_location = run.print_location)`

/** SQL for the materials of `run`: those of its site while it gathers, then those that it kept. */
export const materialsOf = sql<Materials | null>`
  case when run.state = 'OPEN' and run.release_began_at is null then ${materialsOfSite} else run.materials end`
