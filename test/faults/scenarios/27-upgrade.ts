import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { migrate, readMigrations } from '@despatch/store/migrate'
import { baselineName } from '@despatch/store/migration/baseline'
import { readPreviousRelease } from '../../compatibility/previous-release.ts'
import { unpackRelease } from '../../compatibility/unpack-release.ts'
import { type DatabaseServer, startDatabaseServer } from '../ground/database-server.ts'
import { findNoticed, restart, stopSettings } from './26-rolling-restart.ts'
import type { Scenario } from './scenario.ts'

const root = resolve(import.meta.dirname, '../../..')

/**
 * Starts a server whose databases have the migrations of the previous release, and unpacks the tree of that release.
 */
async function startPrevious(): Promise<DatabaseServer> {
  await using parts = new AsyncDisposableStack()
  const { commit } = await readPreviousRelease(root)
  const release = parts.use(await unpackRelease(root, commit))
  const files = await readdir(join(release.path, 'packages/store/migrations'))
  const known = new Set([baselineName, ...files])
  const migrations = (await readMigrations()).filter(({ name }) => known.has(name))
  const server = parts.use(await startDatabaseServer({ migrations }))
  const all = parts.move()
  return { ...server, releaseTree: release.path, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

export const upgrade: Scenario = {
  number: 27,
  name: 'the previous release is upgraded under load: the database first, then each process',
  holds: 'I1 I3 I4 I5; no request fails, and no callback comes twice',
  queues: 'each',
  isOnce: true,
  lacks: async () => (await readPreviousRelease(root)).lacks,
  startServer: startPrevious,
  plan: {
    isBalanced: true,
    lettersPerSecond: 4,
    settings: stopSettings,
    strike: async (world) => {
      const { fleet, ground } = world
      const { environment } = await ground.link()
      await world.blow('the database is migrated', () => migrate(environment.DATABASE_URL))
      for (const member of fleet.members) {
        await restart(world, member)
      }
    },
    judge: findNoticed,
  },
}
