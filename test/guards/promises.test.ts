import { expect, test } from 'vitest'
import { readText } from './tree.ts'

const promises = [...readText('README.md').matchAll(/^- \*\*(.+)\.\*\*/gm)].map(([, name]) => name)
const page = readText('docs/promises.md')
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0]!, tests: testsOf(text) }))
  .filter(({ tests }) => tests.length > 0)

test('every promise of README.md names the tests that keep it', () => {
  expect(promises.length).toBeGreaterThan(0)
  expect(sections.map(({ name }) => name)).toEqual(promises)
})

test.each(sections.flatMap(({ tests }) => tests))('%s is a test', (path) => {
  expect(path).toMatch(
    /^(test\/(e2e|recovery)\/.+\.test\.ts|(services|packages)\/[^/]+\/test\/.+\.component\.test\.ts)$/,
  )
})

/** Returns the paths of the tests that a section lists. */
function testsOf(section: string): string[] {
  return [...section.matchAll(/^- \[[^\]]+\]\(\.\.\/(.+?)\)/gm)].map(([, path]) => path!)
}
