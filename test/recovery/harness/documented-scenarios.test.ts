import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { scenarios } from '../../faults/scenarios/all-scenarios.ts'
import { renderScenarioTable } from '../../faults/write-report.ts'

test('docs/faults.md lists the scenarios as `npm run faults -- --write` writes them', async () => {
  const page = await readFile(new URL('../../../docs/faults.md', import.meta.url), 'utf8')

  expect(page).toContain(renderScenarioTable(scenarios))
})

test('each has a number of its own, and they are in order', () => {
  const numbers = scenarios.map(({ number }) => number)

  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
})
