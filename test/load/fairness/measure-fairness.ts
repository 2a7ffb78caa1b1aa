import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { measureBacklogs } from './measure-backlogs.ts'
import { measureDryRuns } from './measure-dry-runs.ts'

/** Measures what a consumer notices of others that are busy or hostile. */
export async function measureFairness(ground: Ground, settings: Settings): Promise<Comparison[]> {
  // the backlogs are left behind
  const dryRuns = await measureDryRuns(ground, settings)
  return [...(await measureBacklogs(ground, settings)), ...dryRuns]
}
