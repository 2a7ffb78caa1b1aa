/** Parses `name=value` pairs, URL-encoded, separated by commas. */
export function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')].map((part) => decodeURIComponent(part.trim()))
    }),
  )
}
