const name = 'despatch-term'

/** Hands a search term to the list of letters. It may be a name, so it is in no URL, and is read only once. */
export function keepTerm(term: string): void {
  sessionStorage.setItem(name, term)
}

export function takeTerm(): string | undefined {
  const term = sessionStorage.getItem(name) ?? undefined
  sessionStorage.removeItem(name)
  return term
}
