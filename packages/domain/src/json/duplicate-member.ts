/** Counts the members of all objects in a parsed JSON value. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const isArray = Array.isArray(value)
  const inner: readonly unknown[] = isArray ? value : Object.values(value)
  let members = isArray ? 0 : inner.length
  for (const each of inner) if (typeof each === 'object') members += countMembers(each)
  return members
}

type Level = { step: string | number; names?: Set<string>; awaitsName?: boolean }

/**
 * Returns the path of the first member of a JSON text whose object has another one of the same name before it, or
 * undefined. Reads each character once.
 */
export function findDuplicateMember(json: string): (string | number)[] | undefined {
  /** The arrays and objects that are open, outermost first, each with the place of its current value. */
  const open: Level[] = []
  for (let at = 0; at < json.length; at += 1) {
    const level = open.at(-1)
    switch (json[at]) {
      case '{':
        open.push({ step: '', names: new Set(), awaitsName: true })
        break
      case '[':
        open.push({ step: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (level?.names) level.awaitsName = true
        else if (level) level.step = Number(level.step) + 1
        break
      case '"': {
        const end = endOfString(json, at)
        if (level?.names && level.awaitsName) {
          const name: string = JSON.parse(json.slice(at, end + 1))
          level.step = name
          level.awaitsName = false
          if (level.names.has(name)) return open.map(({ step }) => step)
          level.names.add(name)
        }
        at = end
      }
    }
  }
  return undefined
}

/** Returns the place of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
