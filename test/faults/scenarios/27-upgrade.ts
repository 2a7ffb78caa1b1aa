import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { migrate, readMigrations } from '@despatch/store/migrate'
import { unpackRelease } from '../../compatibility/unpack-release.ts'
import { type DatabaseServer, startDatabaseServer } from '../ground/database-server.ts'
import { findNoticed, restart, stopSettings } from './26-rolling-restart.ts'
import { letAMinutePass } from './blows.ts'
import type { Scenario } from './scenario.ts'

const root = resolve(import.meta.dirname, '../../..')

async function previousRelease(): Promise<string> {
  return (await readFile(join(root, '.ci/previous-release'), 'utf8')).trim()
}

/**
 * Starts a server whose databases have the migrations of the previous release, and unpacks the tree of that release.
 */
async function startPrevious(): Promise<DatabaseServer> {
  await using parts = new AsyncDisposableStack()
  const release = parts.use(await unpackRelease(root, await previousRelease()))
  const known = new Set(await readdir(join(release.path, 'packages/store/migrations')))
  const migrations = (await readMigrations()).filter(({ name }) => known.has(name))
  const server = parts.use(await startDatabaseServer({ migrations }))
  const all = parts.move()
  return { ...server, releaseTree: release.path, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function hasPrevious(): Promise<boolean> {
  const commit = await previousRelease()
  return promisify(execFile)('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )
}

export const upgrade: Scenario = {
  number: 27,
  name: 'the previous release is upgraded under load: the database first, then each process',
  holds: 'I1 I3 I4 I5; no request fails, and no callback comes twice',
  queues: 'each',
  isOnce: true,
  lacks: async () =>
    (await hasPrevious()) ? undefined : 'the previous release is not in the history of this clone',
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
        // The previous release closes its listener immediately, so remove it from the load balancer first.
        await restart(world, member, () => fleet.printing!.gateway.drain(member.url()))
      }
      await letAMinutePass(world)
    },
    judge: findNoticed,
  },
}
