import { nearName } from '@despatch/domain/json/near-name'
import { renderOwnPath } from '@despatch/domain/json/path'
import { type UnknownMembers, unknownPathsMax } from '@despatch/domain/json/unknown-members'
import { z } from 'zod'

/** The members that a schema names, at every depth. Undefined: any value is accepted. */
type Shape = ObjectShape | { kind: 'list'; item: Shape | undefined } | undefined
type ObjectShape = { kind: 'object'; members: ReadonlyMap<string, Member> }
type Member = { isRequired: boolean; shape: Shape }

type MemberReader = {
  /**
   * Removes each optional member of the body that is null, because null counts as absent, and returns the unknown
   * members, which stay. Whatever is of the wrong type is left to the schema.
   */
  read(body: unknown): UnknownMembers
  /** Returns the name that was probably meant by the last name of an unknown path, or undefined. */
  suggest(path: string): string | undefined
}

/** Returns a reader of the bodies that the schema describes. */
export function memberReader(schema: z.ZodType): MemberReader {
  let known: { shape: Shape } | undefined
  // Described at the first request, so that a service starts without delay.
  const shape = () => {
    known ??= { shape: shapeOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) }
    return known.shape
  }
  return {
    read: (body) => {
      const found: Found = { paths: [], count: 0 }
      visit(body, shape(), [], found)
      return found
    },
    suggest: (path) => {
      const steps = path.split(/[.[]/)
      const parent = steps.slice(0, -1).reduce<Shape>(shapeAt, shape())
      return parent?.kind === 'object' ? nearName(steps.at(-1)!, parent.members.keys()) : undefined
    },
  }
}

type JsonSchema = z.core.JSONSchema._JSONSchema

function shapeOf(schema: JsonSchema | undefined): Shape {
  if (typeof schema !== 'object') return undefined
  if (schema.anyOf) return shapeOf(schema.anyOf.find((each) => shapeOf(each)))
  if (schema.items) return { kind: 'list', item: shapeOf(schema.items as JsonSchema) }
  const { properties, required = [], additionalProperties = false } = schema
  if (!properties || additionalProperties !== false) return undefined
  const members = Object.entries(properties).map(([name, member]): [string, Member] => [
    name,
    { isRequired: required.includes(name), shape: shapeOf(member) },
  ])
  return { kind: 'object', members: new Map(members) }
}

type Found = { paths: string[]; count: number }

/**
 * `path` leads to the value. It is changed and restored, not copied, because most requests have no unknown member to
 * name.
 */
function visit(value: unknown, shape: Shape, path: (string | number)[], found: Found): void {
  if (!shape || typeof value !== 'object' || value === null) return
  if (shape.kind === 'object') {
    if (!Array.isArray(value)) visitObject(value as Record<string, unknown>, shape, path, found)
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index)
      visit(value[index], shape.item, path, found)
      path.pop()
    }
  }
}

function visitObject(
  value: Record<string, unknown>,
  { members }: ObjectShape,
  path: (string | number)[],
  found: Found,
): void {
  for (const name of Object.keys(value)) {
    const member = members.get(name)
    if (!member) {
      found.count += 1
      if (found.count <= unknownPathsMax) found.paths.push(renderOwnPath([...path, name]))
    } else if (value[name] === null && !member.isRequired) {
      delete value[name]
    } else if (member.shape) {
      path.push(name)
      visit(value[name], member.shape, path, found)
      path.pop()
    }
  }
}

/** Returns the shape at a step of a rendered path, such as `address` or `0]`. */
function shapeAt(shape: Shape, step: string): Shape {
  return shape?.kind === 'list' ? shape.item : shape?.members.get(step)?.shape
}
