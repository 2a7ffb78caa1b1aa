import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { statementsOf } from '@despatch/store/migration/build-indexes'
import { expect, test } from 'vitest'
import { migrations, schema } from './sql.ts'
import { readText } from './tree.ts'

const names = migrations.map(({ path }) => basename(path))

test('migrations are numbered from 0001 without a gap, and each begins by saying why', () => {
  const numbers = names.map((name) => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])

  expect(numbers).toEqual(names.map((_, index) => String(index + 1).padStart(4, '0')))
  expect(migrations.filter(({ text }) => !/^-- \S/.test(text)).map(({ path }) => path)).toEqual([])
})

// The format of sha256sum. A new migration adds its line. A line may change only until a release contains its file.
test('landed migrations stay unchanged: landed-migrations.sha256 has the hash of each file', () => {
  const listed = readText('test/guards/landed-migrations.sha256').split('\n').filter(Boolean)
  const found = [...schema, ...migrations].map(
    ({ path, text }) => `${hash('sha256', text)}  ${path}`,
  )

  expect(found).toEqual(listed)
})

const largeTables = [
  'print_job',
  'print_job_file',
  'print_job_event',
  'print_run_document',
  'print_run_event',
  'callback',
  'callback_attempt',
  'audit_event',
  'enquiry_audit',
  'upload',
  'bulk_action_item',
  'returned_letter',
  'serial_number',
  'doomed_object',
  'search_term',
]

test('a migration neither locks a large table for long nor rewrites it', () => {
  const faults = migrations.flatMap(({ path, text }) =>
    faultsOfMigration(text).map((fault) => `${path}: ${fault}`),
  )

  expect(faults).toEqual([])
})

test.each([
  [
    'create index letter_town on print_job (town);',
    'an index of print_job is not built concurrently',
  ],
  [
    'alter table print_job add column k uuid default gen_random_uuid();',
    'a volatile default rewrites print_job',
  ],
  ['alter table print_job add column n bigserial;', 'a volatile default rewrites print_job'],
  [
    'alter table print_job alter column id set not null;',
    'print_job is read whole under a lock: set not null',
  ],
  [
    'alter table callback add constraint c check (n > 0);',
    'callback is read whole under a lock: add constraint without not valid',
  ],
  [
    'alter table callback add check (n > 0);',
    'callback is read whole under a lock: add constraint without not valid',
  ],
  [
    'alter table print_job alter column n type bigint;',
    'print_job is rewritten: a column changes its type',
  ],
  ["update print_job set town = '' where town is null;", 'print_job is updated in the migration'],
  ['delete from callback;', 'callback is updated in the migration'],
])('the rule refuses: %s', (sql, fault) => {
  expect(faultsOfMigration(`-- Why.\n${sql}\n`)).toEqual([fault])
})

test.each([
  '-- concurrently\n-- Why.\ncreate index concurrently letter_town on print_job (town);\n',
  "-- Why.\nalter table print_job add column town text default '';\n",
  '-- Why.\nalter table callback add constraint c check (n > 0) not valid;\n',
  '-- Why.\ncreate function f() returns void language plpgsql as $$ begin delete from callback; end $$;\n',
  '-- Why.\ncreate table town (id integer not null);\ncreate index town_id on town (id);\n',
])('the rule allows: %s', (sql) => {
  expect(faultsOfMigration(sql)).toEqual([])
})

function faultsOfMigration(sql: string): string[] {
  // The body of a function does not run in the migration.
  return statementsOf(sql.replaceAll(/\$\$.*?\$\$/gs, "''")).flatMap((statement) =>
    faultsOfStatement(statement.toLowerCase()),
  )
}

function faultsOfStatement(statement: string): string[] {
  const [, kind, table] =
    /^(create (?:unique )?index (?:if not exists )?\w+ on|alter table(?: only)?|update(?: only)?|delete from) (\w+)/.exec(
      statement,
    ) ?? []
  if (kind === undefined || table === undefined || !largeTables.includes(table)) return []
  if (kind.startsWith('create')) return [`an index of ${table} is not built concurrently`]
  if (!kind.startsWith('alter')) return [`${table} is updated in the migration`]
  return clauses.filter(({ pattern }) => pattern.test(statement)).map(({ fault }) => fault(table))
}

const clauses = [
  {
    pattern:
      /add (?:column )?[^;]*(?:\b(?:big|small)?serial\b|generated always as|default [^,]*(?:random|clock_timestamp|nextval|uuidv))/,
    fault: (table: string) => `a volatile default rewrites ${table}`,
  },
  {
    pattern: /alter (?:column )?\w+ set not null/,
    fault: (table: string) => `${table} is read whole under a lock: set not null`,
  },
  {
    pattern: /add (?:constraint \w+ )?(?:check|foreign key|unique|primary key)(?!.*not valid)/,
    fault: (table: string) =>
      `${table} is read whole under a lock: add constraint without not valid`,
  },
  {
    pattern: /alter (?:column )?\w+ (?:set data )?type /,
    fault: (table: string) => `${table} is rewritten: a column changes its type`,
  },
]
