import {
  judgeServerSettings,
  readServerSettings,
  type ServerSettings,
} from '@despatch/postgres/server-settings'
import { openDatabase } from '@despatch/store/database'
import { readMigrations } from '@despatch/store/migrate'
import { isUnreleased } from '@despatch/store/migration/baseline'
import { listPeriodicTasks } from '@despatch/work/task-runs'
import { judgeClock } from './addresses.ts'
import {
  type Check,
  type Finding,
  probeDeadlineMs,
  reasonWithoutSecrets,
  skipped,
} from './finding.ts'
import { judgePeriodicTasks } from './periodic-tasks.ts'

type Migration = { name: string; sha256: string }

/**
 * Checks whether the database answers, its clock and settings, whether its migrations are those of this release, and
 * whether the periodic tasks of the services succeed.
 */
export const checkDatabase: Check = async ({ environment, now }) => {
  const { DATABASE_URL: url } = environment
  if (!url) return [skipped('database', 'DATABASE_URL')]
  if (!/^postgres(ql)?:\/\/./.test(url)) return [wrongAddress]
  const { db, pool, close } = openDatabase(url, {
    name: 'doctor',
    connectionsMax: 1,
    statementTimeoutMs: probeDeadlineMs,
  })
  try {
    const sentAt = now().getTime()
    const { rows } = await pool.query<{ at: Date; version: string }>(
      "select now() as at, current_setting('server_version') as version",
    )
    const answeredAt = now().getTime()
    const migrations = judgeMigrations(await readMigrations(), await findApplied(pool))
    const { at, version } = rows[0]!
    return [
      { subject: 'database', state: 'good', found: `PostgreSQL ${version} answers` },
      judgeClock('clock of the database', at.getTime() - (sentAt + answeredAt) / 2),
      ...judgeSettings(await readServerSettings(pool)),
      migrations,
      ...(migrations.state === 'good' ? judgePeriodicTasks(await listPeriodicTasks(db)) : []),
    ]
  } catch (error) {
    return [silent(reasonWithoutSecrets(error))]
  } finally {
    await close()
  }
}

/** Returns a finding for each setting that is wrong, or one finding that none is wrong. */
export function judgeSettings(settings: ServerSettings): Finding[] {
  const subject = 'settings of the database'
  const faults = judgeServerSettings(settings).map(({ kind, found, mend }): Finding => {
    const loses = kind === 'unsafe' ? ': a crash may lose letters that were accepted' : ''
    const state = kind === 'slow' ? 'warning' : 'bad'
    return { subject, state, found: `${found}${loses}`, mend }
  })
  const good: Finding = { subject, state: 'good', found: 'those that matter are right' }
  return faults.length > 0 ? faults : [good]
}

/** Returns the applied migrations, or undefined if the database was never migrated. */
async function findApplied(
  pool: ReturnType<typeof openDatabase>['pool'],
): Promise<Migration[] | undefined> {
  const { rows } = await pool.query<{ found: string | null }>(
    "select to_regclass('migration')::text as found",
  )
  if (rows[0]?.found == null) return undefined
  return (await pool.query<Migration>('select name, sha256 from migration')).rows
}

/** Compares the migrations of this release with those of the database. `applied` is undefined if it has none at all. */
export function judgeMigrations(
  known: readonly Migration[],
  applied: readonly Migration[] | undefined,
): Finding {
  const subject = 'migrations'
  const of = (migrations: readonly Migration[], name: string) =>
    migrations.find((migration) => migration.name === name)
  const names = (migrations: readonly Migration[]) => migrations.map(({ name }) => name).join(', ')
  if (isUnreleased(known, applied ?? [])) {
    const mend =
      'export what you need with that version, then remove the data or use an empty database'
    return { subject, state: 'bad', found: 'an unreleased version made the database', mend }
  }
  const newer = (applied ?? []).filter(({ name }) => !of(known, name))
  if (newer.length > 0) {
    const found = `the database has migrations that this release does not know: ${names(newer)}`
    return { subject, state: 'bad', found, mend: 'run the release that made them, or a newer one' }
  }
  const edited = (applied ?? []).filter(({ name, sha256 }) => of(known, name)?.sha256 !== sha256)
  if (edited.length > 0) {
    const found = `edited after they were applied: ${names(edited)}`
    return { subject, state: 'bad', found, mend: 'restore the files of the release' }
  }
  const missing = known.filter(({ name }) => !of(applied ?? [], name))
  if (missing.length > 0) {
    return { subject, state: 'bad', found: `missing: ${names(missing)}`, mend: 'npm run migrate' }
  }
  return { subject, state: 'good', found: `all ${known.length} are applied` }
}

const wrongAddress: Finding = {
  subject: 'database',
  state: 'bad',
  found: 'DATABASE_URL is not the address of a PostgreSQL server',
  mend: 'it must start with postgres:// or postgresql://',
}

function silent(reason: string): Finding {
  const mend =
    'check that PostgreSQL is running, and that DATABASE_URL has its host, user and password'
  return { subject: 'database', state: 'bad', found: `it cannot be queried (${reason})`, mend }
}
