/**
 * Returns a line of COPY in text format. Null and undefined become NULL, bytes become hexadecimal, and a list of
 * strings becomes an array of words that need no quotes.
 */
export function copyLine(values: readonly unknown[]): string {
  let line = ''
  for (let index = 0; index < values.length; index++) {
    line += (index === 0 ? '' : '\t') + copyValue(values[index])
  }
  return `${line}\n`
}

function copyValue(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return escaped(value)
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.join(',')}}`
  throw new Error(`COPY does not know how to write a value of type ${typeof value}`)
}

const special = /[\\\n\r\t]/
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(text: string): string {
  if (!special.test(text)) return text
  return text.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character]!)
}
