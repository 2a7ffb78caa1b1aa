import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { isTest, sources } from './tree.ts'

const linesMax = 80
const exempt = ['infra/demo/src/find-faults.test.ts']

/** A node of the syntax tree. Only calls and functions have the members that are named here. */
type Node = {
  type: string
  start: number
  end: number
  callee?: Node
  object?: Node
  tag?: Node
} & {
  name?: string
}

test('no test is too long to read at once, its table included', () => {
  const long = sources
    .filter(({ path }) => path.endsWith('.ts') && isTest(path) && !exempt.includes(path))
    .flatMap(({ path, text }) => testsOf(text).map((lines) => ({ path, ...lines })))
    .filter(({ from, to }) => to - from + 1 > linesMax)
    .map(({ path, from, to }) => `${path}:${from} has ${to - from + 1} lines`)

  expect(long).toEqual([])
})

test('a test is measured from its first line to its last', () => {
  const text = "\ndescribe('', () => {\n  test.each([\n    1,\n  ])('', () => {\n  })\n})\n"

  expect(testsOf(text)).toEqual([{ from: 3, to: 6 }])
})

/** Returns the first and the last line of each call to `test`, whatever its form. */
function testsOf(text: string): { from: number; to: number }[] {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const found: { from: number; to: number }[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'CallExpression' && calledOf(node) === 'test') {
      found.push({ from: lineAt(node.start), to: lineAt(node.end) })
      return
    }
    for (const child of Object.values(node)) walk(child)
  }
  walk(parseAst(text, { lang: 'ts' }))
  return found
}

/** Returns the name at the start of a call: `test` for `test.each(table)('…', …)`. */
function calledOf(node: Node): string | undefined {
  const inner = node.callee ?? node.object ?? node.tag
  return inner ? calledOf(inner) : node.name
}
