import { countMembers, findDuplicateMember, type Level } from './duplicate-member.ts'
import { findJsonError, type JsonErrorPlace } from './json-error.ts'

/**
 * Where a JSON text is cut. `open` has the containers that are open there, outermost first: of an object the name of the
 * member under way, as written with its quotes, and of an array null.
 */
export type PieceEnd = { open: readonly (string | null)[]; isInString: boolean }

/** A piece of a JSON text. `members` is the number of members in it. */
export type JsonPiece = { text: string; members: number; end: PieceEnd }

export type JsonAssembly = {
  /** Adds the next piece of the text. */
  add(piece: JsonPiece): void
  result(): AssembledJson
}

export type AssembledJson =
  | { kind: 'value'; value: unknown }
  /** `at` is absent if the place is not known. */
  | { kind: 'not-json'; at?: JsonErrorPlace }
  /** A member occurs twice in its object. The names of the path may be personal. */
  | { kind: 'repeated'; path: (string | number)[] }

type Container = unknown[] | Record<string, unknown>
/** A container that is open where a piece begins, the place of the value under way, and what the piece has of it. */
type Open = { container: Container; key: number | string; added: Container }

/**
 * Assembles the value of a JSON text from its pieces. Each piece is parsed as a text of its own, in which the open
 * containers are opened before the piece and closed after it. What it has is then added to the containers of the earlier
 * pieces.
 */
export function startJsonAssembly(): JsonAssembly {
  let root: unknown
  let start: PieceEnd = { open: [], isInString: false }
  let isJson = true
  let brokenAt: JsonErrorPlace | undefined
  /** The lines and the characters of the last line in the earlier pieces. */
  let [lines, characters] = [0, 0]
  let repeated: (string | number)[] | undefined

  /** Returns the path of a member that is in its object for the second time, or undefined. */
  function merge(value: unknown, { text, members }: JsonPiece): typeof repeated {
    const open = pair(root, value, start.open)
    if (!open) {
      isJson = false
      return undefined
    }
    // The parser keeps the last of several members of one name.
    const hasLost = countMembers(value) < members + start.open.filter(Boolean).length
    if (hasLost || open.some(repeatsName)) {
      return findDuplicateMember((start.isInString ? '"' : '') + text, open.map(levelOf))
    }
    if (!open.every(isInPlace)) isJson = false
    else if (root === undefined) root = value
    else if (start.isInString) root = appendText(root, value, open)
    if (isJson) for (const each of open) append(each)
    return undefined
  }

  function placeOf(opening: string, { text, end }: JsonPiece): JsonErrorPlace {
    const at = findJsonError(opening + text + closingOf(end)) - opening.length
    const before = text.slice(0, Math.max(at, 0))
    if (at >= text.length && end.open.length === 0) return 'end'
    const [line, character] = advance([lines, characters], before)
    return { line: line + 1, character: character + 1 }
  }

  return {
    add(piece) {
      if (!isJson) return
      const opening = openingOf(start)
      const value = parse(opening + piece.text + closingOf(piece.end))
      isJson = value !== undefined
      if (!isJson) brokenAt = placeOf(opening, piece)
      ;[lines, characters] = advance([lines, characters], piece.text)
      // After a repeated member, the other pieces must still be JSON.
      if (isJson && !repeated) repeated = merge(value, piece)
      start = piece.end
    },
    result: () => {
      if (!isJson) return { kind: 'not-json', ...(brokenAt && { at: brokenAt }) }
      return repeated ? { kind: 'repeated', path: repeated } : { kind: 'value', value: root }
    },
  }
}

/** Counts the lines of a text, and the characters of its last line. */
function advance([lines, characters]: [number, number], text: string): [number, number] {
  const lastAt = text.lastIndexOf('\n')
  if (lastAt < 0) return [lines, characters + text.length]
  let more = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) more += 1
  return [lines + more, text.length - lastAt - 1]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the text that opens the containers of a piece again. A value precedes a comma. */
function openingOf({ open, isInString }: PieceEnd): string {
  const opening = open.map((name) => (name === null ? '[' : `{${name}:`))
  return opening.join('') + (isInString ? '"' : open.length > 0 ? '0' : '')
}

function levelOf({ container, key }: Open): Level {
  if (Array.isArray(container)) return { step: key }
  // The names are not copied: of a large object, that would keep the process from its other requests.
  const added = new Set<string>()
  const has = (name: string) => added.has(name) || Object.hasOwn(container, name)
  return { step: key, names: { has, add: (name) => added.add(name) } }
}

function closingOf({ open, isInString }: PieceEnd): string {
  const closing = open.toReversed().map((name) => (name === null ? ']' : '}'))
  return (isInString ? '"' : '') + closing.join('')
}

/**
 * Returns the open containers, outermost first, each with its part of the value of the piece. Undefined if a container
 * is not where its name says, because of a fault of V8 13. Once it has read an object with a lone backslash as a name,
 * it takes a name with an escape after the same members for that backslash.
 */
function pair(root: unknown, value: unknown, names: PieceEnd['open']): Open[] | undefined {
  let held = root
  let added = value as Container
  const all: Open[] = []
  for (const name of names) {
    if (!isContainer(held)) return undefined
    const key = name === null ? (held as unknown[]).length - 1 : JSON.parse(name)
    all.push({ container: held, key, added })
    held = valueAt(held, key)
    // If the member is repeated, this may be any value.
    added = valueAt(added ?? {}, name === null ? 0 : key) as Container
  }
  return all
}

/** Returns whether the value under way is where its name says, also in the piece. */
function isInPlace({ container, key, added }: Open): boolean {
  const keyInPiece = Array.isArray(container) ? 0 : key
  return isContainer(added) && Object.hasOwn(container, key) && Object.hasOwn(added, keyInPiece)
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function valueAt(container: Container, key: number | string): unknown {
  return (container as Record<string, unknown>)[key]
}

function repeatsName({ container, key, added }: Open): boolean {
  if (Array.isArray(container)) return false
  return Object.keys(added ?? {}).some((name) => name !== key && Object.hasOwn(container, name))
}

/** Adds what the piece has after the value under way. */
function append({ container, key, added }: Open): void {
  if (Array.isArray(container)) {
    for (const item of (added as unknown[]).slice(1)) container.push(item)
    return
  }
  for (const [name, value] of Object.entries(added)) {
    if (name !== key) put(container, name, value)
  }
}

function put(container: Container, name: number | string, value: unknown): void {
  const property = { value, writable: true, enumerable: true, configurable: true }
  // An assignment would change the prototype.
  if (name === '__proto__') Object.defineProperty(container, name, property)
  else (container as Record<string, unknown>)[name] = value
}

/** Lengthens the string under way. Returns the root, which may be that string. */
function appendText(root: unknown, value: unknown, open: readonly Open[]): unknown {
  const last = open.at(-1)
  if (!last) return `${root}${value}`
  const { container, key, added } = last
  const more = valueAt(added, Array.isArray(container) ? 0 : key)
  put(container, key, `${valueAt(container, key)}${more}`)
  return root
}
