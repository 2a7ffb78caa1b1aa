import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { ScenarioReport } from '../../faults/run-scenarios.ts'
import { scenarios } from '../../faults/scenarios/all-scenarios.ts'
import { mergeRows, readRows, renderScenarioList } from '../../faults/write-report.ts'

test('the list of scenarios in docs/faults.md equals the output of `npm run faults -- --write`', async () => {
  const page = await readFile(new URL('../../../docs/faults.md', import.meta.url), 'utf8')

  expect(page).toContain(renderScenarioList(scenarios))
})

test('each scenario has a unique number, in ascending order', () => {
  const numbers = scenarios.map(({ number }) => number)

  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
})

const aReport: ScenarioReport = {
  kind: 'ran',
  number: 5,
  name: 'workers killed',
  queue: 'redis',
  seed: 7,
  seconds: 30,
  findings: [],
  counts: { accepted: 12, despatched: 11, callbacks: 10, blows: 4 },
  recoverySeconds: 3,
}

test('a run replaces the row of its scenario and carrier, and keeps the other rows', () => {
  const page = [
    '| 5        | postgres | 1    | 9 | 9 | 9 | 2 | none | 1 s |',
    '| 5        | redis    | 1    | 9 | 9 | 9 | 2 | 3    | 40 s |',
    '| 12       | redis    | 1    | 9 | 9 | 9 | 2 | none | 5 s |',
  ].join('\n')

  expect(mergeRows(readRows(page), [aReport])).toEqual([
    ['5', 'postgres', '1', '9', '9', '9', '2', 'none', '1 s'],
    ['5', 'redis', '7', '12', '11', '10', '4', 'none', '3 s'],
    ['12', 'redis', '1', '9', '9', '9', '2', 'none', '5 s'],
  ])
})
