import type pg from 'pg'
import { retryConflicts } from './retry-conflicts.ts'
import { type DatabaseService, databaseServices, roleOf } from './service-roles.ts'

/**
 * The privileges of each service on each object, as GRANT writes them: `select, update (state, ended_at)`. A service
 * that is absent has none.
 */
export type Grants = Readonly<Record<string, Readonly<Partial<Record<DatabaseService, string>>>>>

export type SchemaGrants = {
  schema: string
  /** Of tables, views and sequences. Partitions have none: they are reached through their table. */
  relations: Grants
  /** Of functions, by name. Only those that run with the rights of their owner require any. */
  functions?: Grants
}

/** A privilege of a role on an object. */
type Privilege = {
  role: string
  object: string
  kind: 'table' | 'sequence' | 'function'
  privilege: string
  /** Null: on the whole object. */
  column: string | null
}

/**
 * Gives each role that exists exactly the declared privileges on the declared objects, in one transaction, so that a
 * running service never lacks one. Changes nothing that is already right. Objects and columns that do not exist yet are
 * left out. Returns the services whose roles do not exist.
 */
export async function applyGrants(
  client: pg.ClientBase,
  grants: SchemaGrants,
): Promise<DatabaseService[]> {
  const existing = await findRoles(client)
  const services = databaseServices.filter((service) => existing.has(roleOf(service)))
  if (services.length > 0) await retryConflicts(() => applyTo(client, services, grants))
  return databaseServices.filter((service) => !services.includes(service))
}

async function applyTo(
  client: pg.ClientBase,
  services: readonly DatabaseService[],
  { schema, relations, functions = {} }: SchemaGrants,
): Promise<void> {
  const objects = await listObjects(client, schema)
  const wanted = [
    ...privilegesOf(relations, services).map((each) => ({
      ...each,
      kind: objects.get(each.object)?.kind ?? 'table',
    })),
    ...privilegesOf(functions, services).map((each) => ({ ...each, kind: 'function' as const })),
  ].filter(({ object, kind, column }) => {
    const found = objects.get(kind === 'function' ? `${object}()` : object)
    return found !== undefined && (column === null || found.columns.includes(column))
  })
  const declared = [...Object.keys(relations), ...Object.keys(functions)]
  const held = (await listPrivileges(client, schema, services.map(roleOf))).filter(({ object }) =>
    declared.includes(object),
  )
  const statements = [
    `grant usage on schema ${schema} to ${services.map(roleOf).join(', ')}`,
    ...render('revoke', schema, without(held, wanted)),
    ...render('grant', schema, without(wanted, held)),
  ]
  // several statements in one message are one transaction
  await client.query(statements.join(';\n'))
}

async function findRoles(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any ($1)',
    [databaseServices.map(roleOf)],
  )
  return new Set(rows.map(({ name }) => name))
}

type FoundObject = { kind: 'table' | 'sequence' | 'function'; columns: string[] }

/** Lists what exists by name; functions have `()` after theirs. */
async function listObjects(
  client: pg.ClientBase,
  schema: string,
): Promise<ReadonlyMap<string, FoundObject>> {
  const { rows } = await client.query<FoundObject & { name: string }>(
    `select relname as name, case relkind when 'S' then 'sequence' else 'table' end as kind,
       array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0) as columns
     from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'v', 'S')
     union all
     select proname || '()', 'function', '{}' from pg_proc where pronamespace = $1::regnamespace`,
    [schema],
  )
  return new Map(rows.map(({ name, ...found }) => [name, found]))
}

/** Lists the privileges that the roles hold on the objects of a schema, without those on partitions. */
export async function listPrivileges(
  client: pg.ClientBase,
  schema: string,
  roles: readonly string[],
): Promise<Privilege[]> {
  const { rows } = await client.query<Privilege>(
    `select rolname as role, object, kind, lower(privilege_type) as privilege, "column"
     from (
       select relname as object, case relkind when 'S' then 'sequence' else 'table' end as kind, null as "column", relacl as acl
       from pg_class where relnamespace = $1::regnamespace and not relispartition
       union all
       select relname, 'table', attname, attacl
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where relnamespace = $1::regnamespace and not relispartition and attacl is not null
       union all
       select proname, 'function', null, proacl from pg_proc where pronamespace = $1::regnamespace
     ) as objects, lateral aclexplode(acl) join pg_roles on pg_roles.oid = grantee
     where rolname = any ($2)`,
    [schema, roles],
  )
  return rows
}

function privilegesOf(grants: Grants, services: readonly DatabaseService[]) {
  return Object.entries(grants).flatMap(([object, byService]) =>
    services.flatMap((service) =>
      parse(byService[service] ?? '').map((each) => ({ role: roleOf(service), object, ...each })),
    ),
  )
}

/** Parses `select, update (state, ended_at)`. */
function parse(privileges: string): { privilege: string; column: string | null }[] {
  return [...privileges.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, columns]) => {
    const names = columns?.split(',').map((column) => column.trim()) ?? [null]
    return names.map((column) => ({ privilege: privilege!, column }))
  })
}

function keyOf({ role, object, kind, privilege, column }: Privilege): string {
  return [role, kind, object, privilege, column ?? ''].join(' ')
}

function without(all: readonly Privilege[], others: readonly Privilege[]): Privilege[] {
  const known = new Set(others.map(keyOf))
  return all.filter((each) => !known.has(keyOf(each)))
}

/** Returns one statement for each role and object. */
function render(verb: 'grant' | 'revoke', schema: string, all: readonly Privilege[]): string[] {
  const together = Map.groupBy(all, ({ role, kind, object }) => [role, kind, object].join(' '))
  return [...together.values()].map((group) => {
    const { role, kind, object } = group[0]!
    const privileges = group.map(({ privilege, column }) =>
      column === null ? privilege : `${privilege} (${column})`,
    )
    return `${verb} ${privileges.join(', ')} on ${kind} ${schema}.${object} ${verb === 'grant' ? 'to' : 'from'} ${role}`
  })
}
