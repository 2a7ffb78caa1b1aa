import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { measureFiles } from './measure-files.ts'
import { measureProduction } from './measure-production.ts'
import { openStage } from './stage.ts'

/**
 * Takes print runs from gathering to the confirmed posting, as a provider sees them. Compares the claim with a bare
 * statement, and the merged print stream with qpdf.
 */
export async function measureRuns(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const stage = await openStage(ground, settings, ground.databaseUrl)
  try {
    const production = await measureProduction(stage)
    return [...production, ...(await measureFiles(stage))]
  } finally {
    await stage.close()
  }
}
