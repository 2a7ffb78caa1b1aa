import { parseJson } from '@despatch/domain/json/parse-json'
import type { FieldKind, Group } from './field-kind.ts'
import type { TemplateFault } from './template-fault.ts'

type Param = { key: string; value: string }

/** A list has at most 10,000 entries of a few members each. */
const jsonLimits = { depthMax: 10, valuesMax: 200_000 }

/**
 * Reads custom parameters, whose values are texts, as the values of a template's fields: numbers, `yes` and `no`, and
 * lists and groups as JSON. A text that is not of the field's kind is a fault; `Fields.check` finds the others.
 */
export function valuesOfParams(
  params: readonly Param[],
  { members }: Group,
): { values: Record<string, unknown>; faults: TemplateFault[] } {
  const values: [string, unknown][] = []
  const faults: TemplateFault[] = []
  for (const { key, value } of params) {
    const kind = Object.hasOwn(members, key) ? members[key] : undefined
    const read = kind ? readText(value, kind) : { value }
    if ('message' in read) faults.push({ place: key, message: read.message })
    else values.push([key, read.value])
  }
  return { values: Object.fromEntries(values), faults }
}

function readText(text: string, { kind }: FieldKind): { value: unknown } | { message: string } {
  switch (kind) {
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text)
        ? { value: Number(text) }
        : { message: 'must be a number' }
    case 'yes-or-no':
      if (text === 'yes' || text === 'true') return { value: true }
      if (text === 'no' || text === 'false') return { value: false }
      return { message: 'must be yes or no' }
    case 'list':
    case 'group': {
      const parsed = parseJson(Buffer.from(text), jsonLimits)
      return parsed.kind === 'value' ? { value: parsed.value } : { message: 'must be JSON' }
    }
    default:
      return { value: text }
  }
}
