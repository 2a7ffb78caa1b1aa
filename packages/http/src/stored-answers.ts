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
    case 'nullable':
      return rendererOf(def.innerType)
    case 'pipe': {
      const [first, second] = [rendererOf(def.in), rendererOf(def.out)]
      return (stored) => (stored === undefined ? stored : second(first(stored)))
    }
    case 'transform':
      return def.transform as Render
    default:
      return asStored
  }
}
