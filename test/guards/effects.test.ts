import { expect, test } from 'vitest'
import { statements } from './sql.ts'
import { importsOf, isTest, placesOf, programs, sources } from './tree.ts'

test('only launchers, scripts, examples and tests read the environment', () => {
  const mayRead = /(^|[/-])main\.ts$|^(scripts|docs\/examples)\/|^vitest\.config\.ts$/
  const others = programs.filter(({ path }) => !mayRead.test(path))

  expect(
    placesOf(/\bprocess\s*(?:\?\.|\.|\[\s*['"`])\s*env\b|'(?:node:)?process'/g, others),
  ).toEqual([])
})

test('the domain does no I/O, and uses neither a clock nor random numbers', () => {
  const domain = sources.filter(({ path }) => path.startsWith('packages/domain/') && !isTest(path))
  // 'console. is the name of an audited action, not a call.
  const effect =
    /\bDate\.now\b|new Date\(\)|\bMath\.random\b|\bperformance\.|\bcrypto\.|\bprocess\.|\bfetch\(|\bset(?:Timeout|Interval|Immediate)\(|(?<!')\bconsole\./g

  // Pure libraries, which compute from their input. docs/decisions says why each is used.
  const libraries = [
    ...['postman-paf', 'temporal-polyfill', 'date-holidays', 'ipaddr.js'],
    'i18n-iso-countries',
  ]
  // loads a library when it is first needed
  const mayImport = [...libraries, 'node:module']

  const imported = domain.flatMap((file) =>
    importsOf(file)
      .filter((module) => !module.startsWith('.') && !mayImport.includes(module))
      .map((module) => `${file.path} imports ${module}`),
  )

  expect(imported).toEqual([])
  expect(placesOf(effect, domain)).toEqual([])
})

test('only one file changes the status of a print job', () => {
  const testing = sources.filter(({ path }) => path.startsWith('packages/testing/'))
  const writes = [...programs, ...testing, ...statements]
    .filter(({ text }) => writesStatus(text))
    .map(({ path }) => path)

  expect(writes).toEqual(['packages/store/src/print-job/print-jobs.ts'])
})

test.each([
  'sql`update print_job set status = $1 where key = 1`',
  'sql`update print_job job\n  set comment = null,\n  status = $1 from move`',
  "sql`update print_job set (comment, status) = ('', 'REJECTED')`",
  'sql`insert into print_job (id) values (1) on conflict (id) do update set id = 2`',
  'sql`merge into print_job using moved on true when matched then update set status = 1`',
  "db.updateTable('print_job').set({ status: 'REJECTED' }).where('key', '=', key)",
  "db.updateTable('print_job').set({ at: sql`now()`, status }).where('key', '=', key)",
  "db.updateTable('print_job as job').set('status', 'REJECTED').execute()",
  "db.updateTable('print_job').set(values).execute()",
])('recognises %s as changing a status', (text) => expect(writesStatus(text)).toBe(true))

test.each([
  "sql`update print_job set comment = '' where key = 1 and status = 'PENDING'`",
  "sql`update print_job_file set status = ''`",
  "db.updateTable('print_job').set({ comment: '' }).where('status', '=', 'PENDING').execute()",
])('does not recognise %s as changing a status', (text) => expect(writesStatus(text)).toBe(false))

/**
 * Examines SQL up to its execution or end, and chains of Kysely calls. Anything that cannot be resolved counts as a
 * write.
 */
function writesStatus(text: string): boolean {
  const statements = (start: string) =>
    [
      ...text.matchAll(new RegExp(`\\b${start}\\s+print_job\\b(?:(?!\\.execute\\()[^;])*`, 'gi')),
    ].join()
  const updates = statements('update(?:\\s+only)?')
  const chains = text.matchAll(
    /updateTable\(\s*'print_job(?: as \w+)?'\s*\)\s*\.set\(([\s\S]*?)\)\s*\.(?:where|from|returning|execute)/g,
  )
  return (
    /(?:\bset|,)\s*status\s*=|\bset\s*\([^)]*\bstatus\b/i.test(updates) ||
    /\bdo\s+update\b/i.test(statements('insert\\s+into')) ||
    /\bmerge\s+into\s+print_job\b/i.test(text) ||
    /insertInto\('print_job'\)[^;]*doUpdateSet/.test(text) ||
    [...chains].some(([, set = '']) => !set.startsWith('{') || /\bstatus\b/.test(set))
  )
}
