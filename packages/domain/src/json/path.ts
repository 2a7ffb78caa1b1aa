/** The limit of a path that the caller of an API chose, in characters. It is shown and stored. */
const ownPathCharactersMax = 100

/** Renders the path of a value as written on the wire: `customParams[1].key`, or `["a.b"].key` for a member `a.b`. */
export function renderPath(path: readonly PropertyKey[]): string {
  let rendered = ''
  for (const step of path) {
    const isPlain = typeof step !== 'number' && !/[.[]/.test(String(step))
    rendered += isPlain ? `${rendered && '.'}${String(step)}` : `[${JSON.stringify(step)}]`
  }
  return rendered || 'body'
}

/**
 * Renders a path whose member names a caller chose: at most 100 characters, and none that cannot be shown or stored. The
 * names may be personal, so the path must not be logged.
 */
export function renderOwnPath(path: readonly PropertyKey[]): string {
  const units = renderPath(path).slice(0, 4 * ownPathCharactersMax)
  const characters = [...units.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')]
  if (characters.length <= ownPathCharactersMax) return characters.join('')
  return `${characters.slice(0, ownPathCharactersMax - 1).join('')}…`
}
