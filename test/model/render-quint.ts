/** A set of the model, whose values stand in the order in which they are told. */
export type QuintSet = { set: readonly unknown[] }

export const setOf = (set: readonly unknown[]): QuintSet => ({ set })

/** Writes a value as an expression of Quint: arrays are lists, objects are records. Throws for a text that would need escapes. */
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
