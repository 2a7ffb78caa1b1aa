/** A word, number, quoted text, operator or hole of SQL, and how many brackets and `case` are open around it. */
export type Token = { text: string; start: number; end: number; depth: number }

const pattern = /\s+|[a-z_][\w.]*|\$+\d*|\d[\w.]*|'x*'|"x*"|::|[+\-*/<>=~!@#%^&|?]+|./gis

/** Splits masked SQL into its parts. A bracket, `case` and `end` have the depth of what is around them. */
export function tokensOf(masked: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const { 0: part, index } of masked.matchAll(pattern)) {
    if (part.trim() === '') continue
    const text = part.toLowerCase()
    if (isClosing(text)) depth -= 1
    tokens.push({ text, start: index, end: index + part.length, depth })
    if (isOpening(text)) depth += 1
  }
  return tokens
}

const isOpening = (text: string) => text === '(' || text === '[' || text === 'case'
const isClosing = (text: string) => text === ')' || text === ']' || text === 'end'
