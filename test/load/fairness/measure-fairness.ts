import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Ground, onNewDatabase } from '../ground.ts'
import { measureBacklogs } from './measure-backlogs.ts'
import { measureNeighbours } from './measure-neighbours.ts'

/** Measures what a consumer notices of others that are busy or hostile. */
export async function measureFairness(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const backlogs = await measureBacklogs(ground, settings)
  // the backlogs stay behind in the other database
  const apart = await onNewDatabase(ground, 'bench_neighbours')
  return [...backlogs, ...(await measureNeighbours(apart, settings))]
}
