/** A term of a contract with another value. Undefined: there is no value. */
type TermChange = { term: string; before?: TermValue; after?: TermValue }
type TermValue = string | number | boolean | string[]

type Terms = Readonly<Record<string, unknown>>

/**
 * Returns the terms that differ, by name. A term that `before` does not have was not known when it was saved, and does
 * not count. Null is no value.
 */
export function termChanges(before: Terms, after: Terms): TermChange[] {
  return Object.keys(after)
    .filter((term) => term in before && !isSame(before[term], after[term]))
    .toSorted()
    .map((term) => ({ term, ...given('before', before[term]), ...given('after', after[term]) }))
}

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null)
}

function given(name: 'before' | 'after', value: unknown) {
  return value === null || value === undefined ? {} : { [name]: value as TermValue }
}
