import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from './sql.ts'
import { readText } from './tree.ts'

const names = migrations.map(({ path }) => basename(path))

test('migrations are numbered from 0001 without a gap, and each begins by saying why', () => {
  const numbers = names.map((name) => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])

  expect(numbers).toEqual(names.map((_, index) => String(index + 1).padStart(4, '0')))
  expect(migrations.filter(({ text }) => !/^-- \S/.test(text)).map(({ path }) => path)).toEqual([])
})

// The format of sha256sum. A new migration adds its line; a line changes only while no release has the migration.
test('a migration that has landed stays as it is: landed-migrations.sha256 lists each with its hash', () => {
  const listed = readText('test/guards/landed-migrations.sha256').trimEnd().split('\n')
  const found = migrations.map(
    ({ path, text }) => `${createHash('sha256').update(text).digest('hex')}  ${path}`,
  )

  expect(found).toEqual(listed)
})
