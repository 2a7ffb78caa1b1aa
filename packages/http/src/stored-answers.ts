import type { FastifyTypeProvider } from 'fastify'
import type { z } from 'zod'

/** A handler reads what the schemas of its request parse, and returns what the schema of its response renders. */
export interface StoredAnswers extends FastifyTypeProvider {
  validator: this['schema'] extends z.core.$ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends z.core.$ZodType ? Stored<this['schema']> : unknown
}

/** What a schema renders: its input, whose lists may be readonly. */
type Stored<Schema> = Readonly<z.input<Schema>>

type Readonly<Value> = Value extends readonly (infer Item)[]
  ? readonly Readonly<Item>[]
  : Value extends Date | Uint8Array
    ? Value
    : Value extends object
      ? { readonly [Name in keyof Value]: Readonly<Value[Name]> }
      : Value

/** Renders each response by its schema. */
export function createSerializer({ schema }: { schema: z.core.$ZodType }) {
  const render = rendererOf(schema)
  return (answer: unknown): string => JSON.stringify(render(answer))
}

/**
 * Renders what is stored as a schema says: only its members, each in its form of the wire. Nothing is validated, because
 * what is stored may be older than a rule.
 */
export function renderAnswer<Schema extends z.core.$ZodType>(
  schema: Schema,
  stored: Stored<Schema>,
): z.output<Schema> {
  return rendererOf(schema)(stored) as z.output<Schema>
}

type Render = (stored: unknown) => unknown

const asStored: Render = (stored) => stored

function rendererOf(schema: z.core.$ZodType): Render {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => ({
        name,
        render: rendererOf(member),
      }))
      return (stored) => {
        if (!stored) return stored
        const answer: Record<string, unknown> = {}
        for (const { name, render } of members) {
          const value = (stored as Record<string, unknown>)[name]
          const rendered = render === asStored ? value : render(value)
          if (rendered !== undefined) answer[name] = rendered
        }
        return answer
      }
    }
    case 'array': {
      const render = rendererOf(def.element)
      return render === asStored
        ? asStored
        : (stored) => stored && (stored as unknown[]).map((item) => render(item))
    }
    case 'optional':
      return rendererOf(def.innerType)
    case 'nullable': {
      const render = rendererOf(def.innerType)
      return render === asStored ? asStored : (stored) => (stored === null ? null : render(stored))
    }
    case 'pipe': {
      const [first, second] = [rendererOf(def.in), rendererOf(def.out)]
      return (stored) => (stored === undefined ? stored : second(first(stored)))
    }
    case 'transform':
      return def.transform as Render
    case 'union':
      return rendererOfOne(def.options)
    default:
      if (!passed.has(def.type)) throw new Error(`An answer cannot be rendered by a ${def.type}`)
      return asStored
  }
}

/** Types whose values are as they are stored. A record is open, and a custom type has no members that are known. */
const passed: ReadonlySet<string> = new Set([
  ...['string', 'number', 'int', 'boolean', 'null', 'enum', 'literal', 'template_literal'],
  ...['record', 'unknown', 'any', 'custom', 'never', 'void', 'undefined'],
])

/** Renders by the first of several object schemas whose literals the stored object has. */
function rendererOfOne(options: readonly z.core.$ZodType[]): Render {
  const renders = options.map(rendererOf)
  if (renders.every((render) => render === asStored)) return asStored
  const literals = options.map(literalsOf)
  return (stored) => {
    const values = stored as Record<string, unknown>
    const index = literals.findIndex((each) =>
      each.every(([name, allowed]) => allowed.includes(values[name])),
    )
    return renders[index]?.(stored)
  }
}

function literalsOf(schema: z.core.$ZodType): [name: string, allowed: readonly unknown[]][] {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type !== 'object') throw new Error(`An answer cannot be rendered by one of ${def.type}`)
  return Object.entries(def.shape).flatMap(([name, member]) => {
    const { def } = member._zod as z.core.$ZodTypes['_zod']
    return def.type === 'literal' ? [[name, def.values]] : []
  })
}
