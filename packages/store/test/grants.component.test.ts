import { randomBytes } from 'node:crypto'
import { listPrivileges } from '@despatch/postgres/apply-grants'
import { type DatabaseService, databaseServices, roleOf } from '@despatch/postgres/service-roles'
import { storeGrants } from '@despatch/store/grants'
import { migrate } from '@despatch/store/migrate'
import { aDatabase } from '@despatch/testing/a-database'
import { takeDenied } from '@despatch/testing/denied-statements'
import { shared } from '@despatch/testing/shared'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'

const database = await shared(aDatabase())
const { pool } = database
const roles = databaseServices.map(roleOf)
const insufficientPrivilege = '42501'

async function namesOf(query: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(query)
  return rows.map(({ name }) => name).sort()
}

async function held(url = database.url): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const privileges = await listPrivileges(client, 'public', roles)
    return privileges.map((each) => Object.values(each).join(' ')).sort()
  } finally {
    await client.end()
  }
}

test('every table, view, sequence and security definer function has an entry', async () => {
  // The numbers of the other identity columns are taken by the insert itself, and nobody reads them.
  const relations = await namesOf(
    `select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = 'public' and relkind in ('r', 'p', 'v', 'm', 'S') and not relispartition
       and (relkind <> 'S' or not exists (select from pg_depend where objid = pg_class.oid and deptype = 'i')
         or relname in ('callback_position_seq', 'enquiry_audit_id_seq', 'letter_waiting_seq_seq'))`,
  )
  const functions = await namesOf(
    `select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
  )

  expect(Object.keys(storeGrants.relations).sort()).toEqual(relations)
  expect(Object.keys(storeGrants.functions).sort()).toEqual(functions)
})

test('security definer functions are not public, and have a fixed search_path', async () => {
  const open = await namesOf(
    `select proname as name from pg_proc
     where pronamespace = 'public'::regnamespace and prosecdef
       and (has_function_privilege('public', oid, 'execute')
         or not coalesce(proconfig, '{}') @> array['search_path=public, pg_temp'])`,
  )

  expect(open).toEqual([])
})

test('a repeated migration restores exactly the declared privileges', async () => {
  const own = await aDatabase()
  onTestFinished(() => own.close())
  const declared = await held(own.url)
  await own.pool.query(`
    grant select on signing_key to despatch_callbacks;
    grant update (password_hash) on consumer to despatch_fulfilment;
    revoke all on print_job from despatch_print_request;
    revoke execute on function drop_record_set from despatch_administration`)
  expect(await held(own.url)).not.toEqual(declared)

  await migrate(own.url)

  expect(await held(own.url)).toEqual(declared)
})

test('an owner without superuser rights can migrate the database, with the same grants', async () => {
  const name = `owner_${randomBytes(6).toString('hex')}`
  await pool.query(`create role ${name} login password 'of the owner'`)
  await pool.query(`create database ${name} owner ${name}`)
  onTestFinished(async () => {
    await pool.query(`drop database ${name} with (force)`)
    await pool.query(`drop role ${name}`)
  })
  const owner = new URL(database.url)
  owner.username = name
  owner.password = 'of the owner'
  owner.pathname = `/${name}`

  await migrate(owner.href)

  expect(await held(owner.href)).toEqual(await held())
})

test('service roles have only their grants, and their sessions have time limits', async () => {
  const { rows } = await pool.query(
    `select distinct rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
       (select count(*)::integer from pg_auth_members where member = pg_roles.oid) as memberships, rolconfig as settings
     from pg_roles where rolname = any ($1)`,
    [roles],
  )

  expect(rows).toEqual([
    {
      mighty: false,
      memberships: 0,
      settings: [
        'statement_timeout=30s',
        'lock_timeout=25s',
        'idle_in_transaction_session_timeout=10s',
      ],
    },
  ])
})

/** Statements, and the only services that may execute them. */
const refusals: [statement: string, except: readonly DatabaseService[]][] = [
  ['create table mine (id integer)', []],
  ['create function mine() returns integer language sql return 1', []],
  ['drop table print_job', []],
  ['alter table consumer disable trigger all', []],
  ['truncate audit_event', []],
  ['update audit_event set actor = null', []],
  ['delete from audit_event', []],
  ['update enquiry_audit set outcome = outcome', []],
  ['delete from enquiry_audit', []],
  ['set session_replication_role = replica', []],
  ['update migration set sha256 = sha256', []],
  [`copy consumer to program 'cat'`, []],
  ['select password_hash from consumer', ['administration', 'thirdparty-access']],
  ['select email from consumer', ['administration', 'thirdparty-access']],
  ['update consumer set roles = roles', ['administration']],
  ['select private_key_sealed from signing_key', ['administration', 'thirdparty-access']],
  ['select secret_sealed from callback_secret', ['administration', 'callbacks']],
  ['select code_hash from recovery_code', ['thirdparty-access']],
  ['select key_sealed from search_key', ['administration', 'print-request']],
  [
    'select record from driver_record',
    ['administration', 'driver-find', 'driver-sources', 'full-driver-enquiry'],
  ],
  [
    'select standard_params from print_job',
    ['administration', 'fulfilment', 'ops-console', 'pipeline', 'print-request', 'uat'],
  ],
  ['select last_name from driver_search', ['administration', 'driver-find']],
  ['select record from vehicle_record', ['administration', 'vehicle-enquiry']],
  ['select number_hash from enquiry_audit', ['administration']],
  ['select prepare_record_set(1)', ['administration']],
  [`select attach_record_table('vehicle_record', 1)`, ['administration']],
  ['select drop_record_set(1)', ['administration']],
  ['select purge_enquiry_audit(1)', ['pipeline']],
  ['select days from retention', []],
  ['update retention set days = 1', []],
]

describe.each(databaseServices)('%s', (service) => {
  test('signs in, and is refused access to data of other services', async () => {
    const client = new pg.Client({ connectionString: database.serviceUrl(service) })
    await client.connect()
    onTestFinished(() => client.end())
    const refused: string[] = []
    for (const [statement] of refusals) {
      // in a transaction that is rolled back, so that what is allowed changes nothing
      await client.query('begin')
      const code = await client.query(statement).then(
        () => 'done',
        (error: { code: string }) => error.code,
      )
      await client.query('rollback')
      if (code === insufficientPrivilege) refused.push(statement)
    }

    expect(takeDenied()).toHaveLength(refused.length)
    expect(refused).toEqual(
      refusals.filter(([, except]) => !except.includes(service)).map(([statement]) => statement),
    )
  })
})

test('a role cannot sign in with another password', async () => {
  const address = new URL(database.serviceUrl('print-request'))
  address.password = 'another'
  // the socket file of a test server asks for no password
  address.hostname = '127.0.0.1'
  const client = new pg.Client({ connectionString: address.href })

  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
})
