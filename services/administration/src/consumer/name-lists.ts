/** Returns whether two lists of names, each without duplicates, contain the same names. */
export function hasSameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}

export function withoutRepeats<Name extends string>(names: readonly Name[]): Name[] {
  return [...new Set(names)]
}
