import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from '../faults/mutants/mutants.ts'
import { mutate } from '../faults/mutants/mutated-tree.ts'
import { scenarios } from '../faults/scenarios/all-scenarios.ts'
import { root } from './tree.ts'

const numbers = new Set(scenarios.map(({ number }) => number))

test('there are at least twenty breaks, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(20)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

test.each(mutants)(
  '$name: one place of the code is broken, and a scenario looks',
  async (mutant) => {
    const text = await readFile(join(root, mutant.file), 'utf8')
    expect(mutate(text, mutant)).not.toBe(text)
    expect(numbers).toContain(mutant.scenario)
  },
)
