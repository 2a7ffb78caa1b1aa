import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const { longestFiles } = await import(join(root, 'scripts/longest-first.ts'))

test('the test files that begin first are there', () => {
  expect(longestFiles.filter((file: string) => !existsSync(join(root, file)))).toEqual([])
})
