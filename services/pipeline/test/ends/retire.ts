import { Registry } from '@despatch/telemetry/metrics'
import { foldCounts } from '../../src/upkeep/fold-counts.ts'
import { createOrphanWalk } from '../../src/upkeep/orphans.ts'
import { createPurge } from '../../src/upkeep/purge.ts'
import { purgeEnquiryAudit } from '../../src/upkeep/purge-enquiry-audit.ts'
import { createRemover } from '../../src/upkeep/remover.ts'
import { createRetirement } from '../../src/upkeep/retirement.ts'
import { createSweep } from '../../src/work/sweep.ts'
import { nothingAway } from '../nothing-away.ts'
import type { World } from './a-world.ts'

const dayMs = 24 * 60 * 60 * 1000
const deploymentDays = 90
const historyDays = 400

/**
 * Runs each pass of the pipeline that removes something, with its login, until it finds nothing more to do. Its clock
 * makes every object old enough. It sees only these objects of the bucket, which all tests share.
 */
export async function removeWhatIsOver(world: World, keys: readonly string[]): Promise<void> {
  const { objects, pool } = world
  const { db } = world.own
  const effects = { db, objects, now: () => new Date(Date.now() + 3 * dayMs) }
  const listWithTimes: typeof objects.listWithTimes = async (prefix, options) => {
    const own = keys.filter((key) => key.startsWith(prefix)).toSorted()
    return (await Promise.all(own.map((key) => objects.listWithTimes(key, options)))).flat()
  }
  const registry = () => ({ registry: new Registry() })
  const remover = createRemover({ ...effects, ...registry() })
  const passes = [
    createPurge({ ...effects, ...registry(), remover, deploymentDays, log: world.log }),
    createRetirement({ ...effects, ...registry(), historyDays, retentionDays: deploymentDays }),
    () => purgeEnquiryAudit(db),
    () => foldCounts(db, { changesMax: 1_000 }),
    createOrphanWalk({ ...effects, ...registry(), objects: { listWithTimes } }),
    createSweep({
      ...effects,
      objects: { removeTogether: objects.removeTogether, listWithTimes },
      uploadBytesMax: 100_000,
      outages: { ...nothingAway, watches: [] },
      nudgeScheduler: () => {},
      onFound: () => {},
    }),
    remover.pass,
  ]
  await pool.query(
    'update orphan_walk set started_at = null, lease_until = null, is_complete = true',
  )
  for (const pass of passes) while ((await pass()) === 'again');
}
