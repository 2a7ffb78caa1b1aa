import type pg from 'pg'

/** The oldest major version whose SQL the migrations use. */
const oldestMajor = 15

/** Settings of a server, as `current_setting` shows them. */
export type ServerSettings = {
  server_version: string
  server_encoding: string
  default_transaction_isolation: string
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  autovacuum: string
  /** Whether it is a standby, which cannot write. */
  isStandby: boolean
}

/** `refused`: nothing may start. `unsafe`: a crash may lose letters that were accepted. `slow`: it works for a while. */
type SettingFault = {
  kind: 'refused' | 'unsafe' | 'slow'
  found: string
  mend: string
}

/** Reads the settings that Despatch depends on, as they apply to this connection. */
export async function readServerSettings(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<ServerSettings> {
  const { rows } = await client.query<ServerSettings>(
    `select current_setting('server_version') as server_version,
       current_setting('server_encoding') as server_encoding,
       current_setting('default_transaction_isolation') as default_transaction_isolation,
       current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('autovacuum') as autovacuum,
       pg_is_in_recovery() as "isStandby"`,
  )
  return rows[0]!
}

/** Returns what is wrong with the settings, the worst first. */
export function judgeServerSettings(settings: ServerSettings): SettingFault[] {
  const {
    server_version: version,
    server_encoding: encoding,
    default_transaction_isolation: isolation,
  } = settings
  const needed = (
    kind: SettingFault['kind'],
    name: keyof Omit<ServerSettings, 'isStandby'>,
  ): SettingFault[] =>
    settings[name] === 'off'
      ? [{ kind, found: `${name} is off`, mend: `set ${name} = on, and reload the server` }]
      : []
  return [
    ...(Number.parseInt(version, 10) >= oldestMajor
      ? []
      : [
          {
            kind: 'refused' as const,
            found: `it is PostgreSQL ${version}`,
            mend: `use PostgreSQL ${oldestMajor} or later`,
          },
        ]),
    ...(settings.isStandby
      ? [{ kind: 'refused' as const, found: 'it is a standby', mend: 'use the primary server' }]
      : []),
    ...(encoding === 'UTF8'
      ? []
      : [
          {
            kind: 'refused' as const,
            found: `its encoding is ${encoding}`,
            mend: 'create the database with encoding UTF8',
          },
        ]),
    ...(isolation === 'read committed'
      ? []
      : [
          {
            kind: 'refused' as const,
            found: `default_transaction_isolation is ${isolation}`,
            mend: "set it to 'read committed' for this database and its roles",
          },
        ]),
    ...needed('unsafe', 'fsync'),
    ...needed('unsafe', 'full_page_writes'),
    ...needed('unsafe', 'synchronous_commit'),
    ...needed('slow', 'autovacuum'),
  ]
}

/** Throws an error that names the first setting of these kinds that is wrong, and how to mend it. */
export async function refuseServerSettings(
  client: Pick<pg.ClientBase, 'query'>,
  kinds: readonly SettingFault['kind'][],
): Promise<void> {
  const faults = judgeServerSettings(await readServerSettings(client))
  const fault = faults.find(({ kind }) => kinds.includes(kind))
  if (fault)
    throw new Error(`The database cannot be used: ${fault.found}. To mend it, ${fault.mend}`)
}
