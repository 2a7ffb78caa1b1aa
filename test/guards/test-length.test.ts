import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { isTest, sources } from './tree.ts'

const linesMax = 80
const exempt = ['infra/demo/src/find-faults.test.ts']

type Kind = 'test' | 'function'
type Extent = { kind: Kind; from: number; to: number }
/** A node of the syntax tree. A call has a callee, which can be a member of another node or a tagged template. */
type Node = { type: string; start: number; end: number; name?: string } & {
  callee?: Node
  object?: Node
  tag?: Node
}

const extents = sources
  .filter(({ path }) => path.endsWith('.ts') && isTest(path) && !exempt.includes(path))
  .flatMap(({ path, text }) => extentsOf(text).map((extent) => ({ path, ...extent })))

test('no test is too long to read at once, its table included', () => {
  expect(longOnes('test')).toEqual([])
})

test('no function of the system tests is too long to read at once', () => {
  expect(longOnes('function').filter((place) => place.startsWith('test/'))).toEqual([])
})

test('a test and a function are measured from their first line to their last', () => {
  const each = "\ndescribe('', () => {\n  test.each([\n    1,\n  ])('', () => {\n  })\n})\n"
  const named = 'function a() {\n  function b() {}\n}'

  expect(extentsOf(each)).toEqual([{ kind: 'test', from: 3, to: 6 }])
  expect(extentsOf(named)).toEqual([
    { kind: 'function', from: 1, to: 3 },
    { kind: 'function', from: 2, to: 2 },
  ])
})

function longOnes(kind: Kind): string[] {
  return extents
    .filter((extent) => extent.kind === kind && extent.to - extent.from >= linesMax)
    .map(({ path, from, to }) => `${path}:${from} has ${to - from + 1} lines`)
}

/** Returns the first and the last line of each call to `test`, whatever its form, and of each named function. */
function extentsOf(text: string): Extent[] {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const found: Extent[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    const kind = kindOf(node)
    if (kind) found.push({ kind, from: lineAt(node.start), to: lineAt(node.end) })
    if (kind === 'test') return
    for (const child of Object.values(node)) walk(child)
  }
  walk(parseAst(text, { lang: 'ts' }))
  return found
}

function kindOf(node: Node): Kind | undefined {
  if (node.type === 'FunctionDeclaration') return 'function'
  return node.type === 'CallExpression' && calledOf(node) === 'test' ? 'test' : undefined
}

/** Returns the name at the start of a call: `test` for `test.each(table)('…', …)`. */
function calledOf(node: Node): string | undefined {
  const inner = node.callee ?? node.object ?? node.tag
  return inner ? calledOf(inner) : node.name
}
