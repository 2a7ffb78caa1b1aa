/** A set of the model. Its values are rendered in the given order. */
export type QuintSet = { set: readonly unknown[] }

export const setOf = (set: readonly unknown[]): QuintSet => ({ set })

/**
 * Renders a value as a Quint expression: arrays as lists, objects as records. Throws for a string that needs escapes.
 */
export function quint(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `List(${value.map(quint).join(', ')})`
  if (isSet(value)) return `Set(${value.set.map(quint).join(', ')})`
  const fields = Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{ ${fields.map(([name, field]) => `${name}: ${quint(field)}`).join(', ')} }`
}

function text(value: string): string {
  if (!/^[\w -]*$/.test(value)) throw new Error('The model has no such text')
  return `"${value}"`
}

function isSet(value: unknown): value is QuintSet {
  return typeof value === 'object' && value !== null && 'set' in value
}
