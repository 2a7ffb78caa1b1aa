import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ServerAccount } from './server-account.ts'

/** A database cluster on disk: its data, the superuser's password and the server's log. */
export type PostgresCluster = { data: string; password: string; log: string }

export const superuser = 'despatch'
const major = '18'

type Place = { home: string; programs: string; account: ServerAccount; durable: boolean }

/**
 * Opens the cluster in a home directory, or creates it. A crash leaves either a whole cluster or none. Throws if
 * another major version of PostgreSQL made it.
 */
export async function openCluster(place: Place): Promise<PostgresCluster> {
  const { home } = place
  const data = join(home, 'data')
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) await makeCluster(place, data)
  else if (version.trim() !== major) {
    throw new Error(
      `${data} was created by PostgreSQL ${version.trim()}, and this is ${major}. Remove it to start again`,
    )
  }
  const password = await readFile(join(home, 'password'), 'utf8')
  return { data, password, log: join(home, 'server.log') }
}

async function makeCluster({ home, programs, account, durable }: Place, data: string) {
  const unfinished = join(home, 'data.unfinished')
  const password = join(home, 'password')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600, flush: true })
  if (account) {
    await chown(unfinished, account.uid, account.gid)
    await chown(password, account.uid, account.gid)
  }
  const options = [
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    // The same sort order of text on every machine, whatever locales it has.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ]
  await promisify(execFile)(join(programs, 'bin/initdb'), options, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: '/',
    env: serverEnvironment(),
  }).catch(({ message, stderr }: Error & { stderr?: string }) => {
    const reason = /(?:FATAL|error): +(.*)/.exec(stderr ?? '')?.[1] ?? message
    throw new Error(`initdb could not create ${data}: ${reason}`)
  })
  await rename(unfinished, data)
}

/** The complete environment of the programs: the caller's PG* variables must not affect them. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' }
}
