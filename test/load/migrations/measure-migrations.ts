import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@despatch/embedded/postgres'
import { migrate, readMigrations } from '@despatch/store/migrate'
import { isConcurrent, partsOf } from '@despatch/store/migration/build-indexes'
import pg from 'pg'
import { describeMachine } from '../machine.ts'
import { filledAt, fillLetters } from './fill-letters.ts'

// Times each migration on a database with many letters, and writes the table of docs/upgrading.md.
const { values } = parseArgs({ options: { letters: { type: 'string', default: '1000000' } } })
const letters = Number(values.letters)
const guide = new URL('../../../docs/upgrading.md', import.meta.url)
const table = /(<!-- measured -->\n)[\s\S]*(<!-- \/measured -->)/

const directory = await mkdtemp(join(tmpdir(), 'despatch-migrations-'))
// Under root, the account of PostgreSQL must be able to enter the directory.
await chmod(directory, 0o711)
const postgres = await startPostgres({ directory: join(directory, 'postgres') })
// The server does not keep this process alive.
const hold = setInterval(() => {}, 60_000)
try {
  const rows = await measure(postgres.url)
  const { cores, processor, postgres: version } = await describeMachine(postgres.url)
  const text = [
    `Measured with ${letters.toLocaleString('en-GB')} letters on ${cores} cores of ${processor}, PostgreSQL ${version}.`,
    '',
    ...tableOf(['migration', 'seconds', 'meanwhile'], rows),
    '',
  ].join('\n')
  await writeFile(guide, (await readFile(guide, 'utf8')).replace(table, `$1\n${text}\n$2`))
  process.stdout.write(`${text}\n`)
} finally {
  clearInterval(hold)
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Returns the lines of a table in Markdown, with columns of one width. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]!.length)),
  )
  const lineOf = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lineOf(head), lineOf(widths.map((width) => '-'.repeat(width))), ...rows.map(lineOf)]
}

async function measure(url: string): Promise<string[][]> {
  const all = await readMigrations()
  const first = all.findIndex(({ name }) => name === filledAt) + 1
  await migrate(url, { migrations: all.slice(0, first) })
  process.stderr.write(`filling ${letters} letters\n`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await fillLetters(client, letters)
  await client.end()
  const rows: string[][] = []
  for (let count = first + 1; count <= all.length; count++) {
    const { name, sql } = all[count - 1]!
    const startedAt = performance.now()
    await migrate(url, { migrations: all.slice(0, count) })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stderr.write(`${name} ${seconds} s\n`)
    // of a migration in parts, only short ones lock tables
    const isShort = isConcurrent(sql) || partsOf(sql).length > 1
    rows.push([`\`${name}\``, seconds, isShort ? 'services go on' : 'changed tables wait'])
  }
  return rows
}
