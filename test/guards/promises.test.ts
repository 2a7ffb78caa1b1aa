import { expect, test } from 'vitest'
import { readText } from './tree.ts'

const promises = [...readText('README.md').matchAll(/^- \*\*(.+)\.\*\*/gm)].map(([, name]) => name)
const rows = readText('docs/promises.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)

test('every promise of README.md names the tests that keep it', () => {
  const kept = rows.map((row) => row.split('|')[1]!.trim()).filter((name) => name !== '')

  expect(promises.length).toBeGreaterThan(0)
  expect(kept).toEqual(promises)
})

test.each(rows)('%s: is a test that CI runs', (row) => {
  const [, path] = /\]\(\.\.\/(.+?)\)/.exec(row)!
  expect(path).toMatch(
    /^(test\/(e2e|recovery)\/.+\.test\.ts|(services|packages)\/[^/]+\/test\/.+\.component\.test\.ts)$/,
  )
})
