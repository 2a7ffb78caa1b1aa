import { readFile } from 'node:fs/promises'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { listColumns } from './ends/columns.ts'

const { pool } = await shared(aDatabase())
const page = await readFile(new URL('../../../docs/retention.md', import.meta.url), 'utf8')

test('docs/retention.md has the retention of exactly the tables of the database', async () => {
  const [, list] = page.split('## Each table')
  const named = [...list!.matchAll(/`([a-z][a-z_]+)`/g)].map(([, name]) => name!)
  const tables = (await listColumns(pool)).map(({ table }) => table)

  expect(named.toSorted()).toEqual(tables)
})
