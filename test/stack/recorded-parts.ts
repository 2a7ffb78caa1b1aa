import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { vi } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const importPattern = /^import (?!type )(?:[\s\S]*?) from '([^']+)'/gm
/** These packages open nothing. */
const purePattern = /^@despatch\/(contracts|domain|config|documents|synthetic|uat-scenarios)\//

/** Its `close` closes a print run. */
const clientOfFulfilment = 'createFulfilmentClient'

type Part = {
  close?: () => unknown
  stop?: () => unknown
  /** Queues open consumers, which are parts too. */
  consume?: (...given: unknown[]) => unknown
}

/** The parts that a program opened and closed, by the function that opened them, such as `openDatabase 1`. */
export type RecordedParts = {
  opened: string[]
  closed: string[]
  /** Forgets what was recorded. Afterwards the call of this name fails in place of opening its part. */
  begin(failing?: string): void
}

/**
 * Records every part that the modules of these workspaces open from now on: whatever a function returns that has a
 * `close` or a `stop`. Call it before the modules are loaded; the modules of earlier calls are loaded again.
 */
export function recordParts(...workspaces: readonly string[]): RecordedParts {
  const calls = new Map<string, number>()
  let known = new WeakSet<Part>()
  const restores = new WeakMap<Part, () => unknown>()
  let failing: string | undefined
  const parts: RecordedParts = {
    opened: [],
    closed: [],
    begin: (name) => {
      failing = name
      known = new WeakSet()
      calls.clear()
      parts.opened = []
      parts.closed = []
    },
  }

  function note(value: unknown, name: string): void {
    if (typeof value !== 'object' || value === null || known.has(value)) return
    const part = value as Part
    const method = (['close', 'stop'] as const).find((key) => typeof part[key] === 'function')
    if (!method) return
    known.add(part)
    parts.opened.push(name)
    if (part.consume) part.consume = recorded(part.consume)
    const close = restores.get(part) ?? part[method]!.bind(part)
    restores.set(part, close)
    part[method] = () => {
      if (!parts.closed.includes(name)) parts.closed.push(name)
      return close()
    }
  }

  function recorded(original: (...given: unknown[]) => unknown) {
    return (...given: unknown[]) => {
      const count = (calls.get(original.name) ?? 0) + 1
      calls.set(original.name, count)
      const name = `${original.name} ${count}`
      if (name === failing) throw new Error(`cannot open: ${name}`)
      const result = original(...given)
      if (!(result instanceof Promise)) {
        note(result, name)
        return result
      }
      return result.then((value) => {
        note(value, name)
        return value
      })
    }
  }

  vi.resetModules()
  for (const module of new Set(workspaces.flatMap(modulesOf))) {
    vi.doMock(module, async (importOriginal) => {
      const exported = await importOriginal<Record<string, unknown>>()
      return Object.fromEntries(
        Object.entries(exported).map(([name, value]) => [
          name,
          isFunction(value) && name !== clientOfFulfilment ? recorded(value) : value,
        ]),
      )
    })
  }
  return parts
}

/** The modules that a workspace imports: those of other packages, and its own but for `main.ts`. */
function modulesOf(workspace: string): string[] {
  const files = globSync(join(root, workspace, 'src/**/*.ts')).filter(
    (file) => !/(\.test|main)\.ts$/.test(file),
  )
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(importPattern)]
      .map(([, name = '']) => (name.startsWith('.') ? join(dirname(file), name) : name))
      .filter((name) => name.startsWith('/') || name.startsWith('@despatch/'))
      .filter((name) => !purePattern.test(name)),
  )
}

function isFunction(value: unknown): value is (...given: unknown[]) => unknown {
  return typeof value === 'function' && !/^class\b/.test(String(value))
}
