import type { Draw } from './draw.ts'

/** Values of earlier answers, by the name of their member. Mainly ids of existing objects. */
export type KnownValues = {
  /** Remembers the strings and numbers of an answer to an operation, named as `administration/getConsumer`. */
  learn(operation: string, answer: unknown): void
  draw(name: string, draw: Draw): string | number | undefined
}

const keptOfName = 40
const textCharactersMax = 300
const depthMax = 8

/** `barred` are values that no request may contain, such as the callers' own ids. */
export function createKnownValues(barred: ReadonlySet<unknown>): KnownValues {
  const known = new Map<string, (string | number)[]>()
  let learned = 0

  function add(name: string, value: string | number): void {
    const values = known.get(name) ?? []
    if (barred.has(value) || values.includes(value)) return
    if (values.length < keptOfName) values.push(value)
    else values[learned % keptOfName] = value
    learned += 1
    known.set(name, values)
  }

  function walk(value: unknown, name: string, depth: number): void {
    if (typeof value === 'number') add(name, value)
    if (typeof value === 'string' && value.length <= textCharactersMax) add(name, value)
    if (typeof value !== 'object' || value === null || depth > depthMax) return
    for (const [key, member] of Object.entries(value)) {
      walk(member, Array.isArray(value) ? name : key, depth + 1)
    }
  }

  return {
    learn: (operation, answer) => {
      walk(answer, '', 0)
      // the only id whose parameter has a different name
      if (operation === 'print-request/submitPrintJob') add('jobId', (answer as { id: string }).id)
    },
    draw: (name, draw) => {
      const values = known.get(name)
      return values && draw.pick(values)
    },
  }
}
