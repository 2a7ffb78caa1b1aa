import { expect, test } from 'vitest'
import { paths, readText } from './tree.ts'

const threats = readText('docs/threat-model.md')
  .split(/^(?=- \*\*Threat\*\*: |## )/m)
  .filter((part) => part.startsWith('- '))
  .map((part) => ({ part, name: /^- \*\*Threat\*\*: (.+)/.exec(part)?.[1] ?? part }))

test('each threat has a control', () => {
  const without = threats.filter(({ part }) => !/^ {2}- \*\*Control\*\*: \S/m.test(part))

  expect(threats.length).toBeGreaterThan(20)
  expect(without.map(({ name }) => name)).toEqual([])
})

test.each(threats)('a test that exists fails without the control: $name', ({ part }) => {
  const [, listed = ''] = /^ {2}- \*\*Test\*\*: ([\s\S]+)/m.exec(part) ?? []
  const tests = [...listed.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path]) => path!)

  expect(tests).not.toEqual([])
  expect(tests.filter((path) => !path.endsWith('.test.ts') || !paths.includes(path))).toEqual([])
})
