import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './tree.ts'

const { chooseAreas, listAreas } = await import(join(root, 'scripts/mutation/areas.ts'))
const { percentOf, scoreOf, withRow } = await import(join(root, 'scripts/mutation/score.ts'))
const areas: { name: string; sources: string[]; tests: string[] }[] = listAreas(root)

test('each area has sources and tests', () => {
  const countOf = (patterns: string[]) => globSync(patterns, { cwd: root }).length
  const empty = areas.filter(({ sources, tests }) => countOf(sources) === 0 || countOf(tests) === 0)

  expect(areas.map(({ name }) => name)).toContain('domain/callback')
  expect(empty).toEqual([])
})

test('the parts of a run have each chosen area once', () => {
  const names = (part: number) =>
    chooseAreas(areas, { chosen: ['domain/'], part, parts: 3 }).map(
      ({ name }: { name: string }) => name,
    )

  expect([1, 2, 3].flatMap(names).sort()).toEqual(
    areas.map(({ name }) => name).filter((name) => name.startsWith('domain/')),
  )
})

test('a change that no test reaches, or that hangs, counts as not found', () => {
  const score = scoreOf(['Killed', 'Killed', 'Survived', 'NoCoverage', 'Timeout', 'Ignored'])

  expect(score).toEqual({ killed: 2, survived: 1, uncovered: 1, hung: 1 })
  expect(percentOf(score)).toBe(40)
  expect(percentOf(scoreOf(['Ignored']))).toBe(100)
})

test('the table has one row for each area, in order', () => {
  const score = { killed: 9, survived: 1, uncovered: 0, hung: 0 }
  const page = 'Text\n\n| area | found |\n| --- | --- |\n'

  const twice = withRow(
    withRow(page, { name: 'b', target: 90 }, score),
    { name: 'a', target: 80 },
    score,
  )

  expect(twice).toBe(
    `${page}| a | 90 % | 80 % | 9 | 1 | 0 | 0 |\n| b | 90 % | 90 % | 9 | 1 | 0 | 0 |\n`,
  )
  expect(withRow(twice, { name: 'b', target: 90 }, score)).toBe(twice)
})
