import type { Draw } from './draw.ts'

/** Strings that programs often handle wrongly. */
const awkwardTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001f\u007f',
  '\r\nX-Injected: 1',
  '\ud800',
  'x\udfff',
  '\u202e\u2066abc',
  '\ufeff',
  '\u{10ffff}',
  'ﬀİıſ',
  'e\u0301'.repeat(200),
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e999',
  '9223372036854775808',
  '99999999999999999999999999999999999999',
  "';--",
  '%00',
  '%',
  '%s%n',
  '../../etc/passwd',
  '..%2f..%2f',
  '{{7*7}}',
  '<script>',
  '__proto__',
  'constructor',
  '0000-00-00',
  '2024-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '00000000-0000-0000-0000-000000000000',
] as const

const awkwardNumbers = [
  0,
  -0,
  -1,
  0.1,
  1e-320,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  1e21,
  1e308,
  -1e308,
] as const
const tooLong = [46, 91, 256, 1_025, 5_000, 100_000] as const
const spoiledMax = 3
const manyItems = 500
/** Longer texts are not repeated, since that would exhaust memory. */
const repeatedCharactersMax = 1_000
const nested = 100

const lineCharactersMax = 600

/** Returns an awkward text short enough for the head of a request, which a server limits to 16 KiB in all. */
export function awkwardWord(draw: Draw): string {
  return awkwardText(draw).slice(0, lineCharactersMax)
}

/** Returns a text that the schema did not expect. */
function awkwardText(draw: Draw): string {
  if (draw.percent(20)) return draw.pick(['x', 'é', '0', '\u{1F600}']).repeat(draw.pick(tooLong))
  return draw.pick(awkwardTexts)
}

/**
 * Returns a copy of the value with one to three changes: a member removed, added, of another type, too long or too
 * many.
 */
export function spoil(value: unknown, draw: Draw): unknown {
  const holder = { value: structuredClone(value) }
  for (let left = 1 + draw.below(spoiledMax); left > 0; left -= 1) spoilOnce(holder, draw)
  return holder.value
}

type Place = { parent: Record<string, unknown>; key: string }

type Change = (place: Place, draw: Draw) => void

const changes: readonly Change[] = [
  ({ parent, key }) => leaveOut(parent, key),
  ({ parent, key }, draw) => put(parent, key, otherType(draw)),
  ({ parent, key }, draw) =>
    put(
      parent,
      key,
      typeof parent[key] === 'number' ? draw.pick(awkwardNumbers) : awkwardText(draw),
    ),
  ({ parent, key }) => put(parent, key, null),
  ({ parent, key }, draw) => addMember(parent[key], draw),
  ({ parent, key }) => put(parent, key, repeat(parent[key])),
  ({ parent, key }) => put(parent, key, nest(parent[key])),
]

function spoilOnce(holder: Record<string, unknown>, draw: Draw): void {
  const places = placesOf(holder, [])
  // an earlier change may have removed everything
  if (places.length > 0) draw.pick(changes)(draw.pick(places), draw)
}

// defines __proto__ as an own member, as JSON.parse does
function put(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function leaveOut(parent: Record<string, unknown>, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

function addMember(value: unknown, draw: Draw): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) value.push(otherType(draw))
  else put(value, draw.pick(extraNames), otherType(draw))
}

const extraNames = ['extra', '__proto__', 'constructor', '', 'a.b', '\0', 'x'.repeat(5_000)]

function otherType(draw: Draw): unknown {
  return draw.pick<unknown>([
    null,
    true,
    7,
    -1.5,
    1e308,
    'text',
    '\0',
    [],
    [[]],
    {},
    { a: 1 },
    [null],
  ])
}

function repeat(value: unknown): unknown[] {
  const isSmall = (JSON.stringify(value) ?? '').length <= repeatedCharactersMax
  // each item is a copy: if they were one object, the next change would alter them all
  return Array.from({ length: manyItems }, () => (isSmall ? structuredClone(value) : null))
}

function nest(value: unknown): unknown {
  let deep = value
  for (let depth = 0; depth < nested; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep }
  return deep
}

function placesOf(parent: Record<string, unknown>, found: Place[]): Place[] {
  for (const [key, value] of Object.entries(parent)) {
    found.push({ parent, key })
    if (typeof value === 'object' && value !== null)
      placesOf(value as Record<string, unknown>, found)
  }
  return found
}

const deepNesting = 20_000

/** Returns a JSON body damaged as bytes: truncated, doubled, not UTF-8, or not JSON at all. */
export function spoilBytes(json: string, draw: Draw): Buffer {
  const bytes = Buffer.from(json)
  const at = draw.below(bytes.length + 1)
  switch (draw.below(12)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes, bytes])
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([0xff, 0xc0, 0x80]),
        bytes.subarray(at),
      ])
    case 3:
      return Buffer.concat([Buffer.from('\ufeff'), bytes])
    case 4:
      return Buffer.from('['.repeat(deepNesting) + ']'.repeat(deepNesting))
    case 5:
      return Buffer.from(`${'{"a":'.repeat(deepNesting)}1${'}'.repeat(deepNesting)}`)
    case 6:
      return Buffer.from(json.replace(/"(\w+)":/, '"$1":null,"$1":'))
    case 7:
      return Buffer.from(json.replace(/\d+/, '1'.repeat(400)))
    case 8:
      return Buffer.from(json.replace(/:"[^"]*"/, ':"\\ud800\\u0000"'))
    case 9:
      return Buffer.from(json, 'utf16le')
    case 10:
      return Buffer.from(
        draw.pick([
          '',
          ' ',
          'null',
          'true',
          '0',
          '"x"',
          '[]',
          '{}',
          '{',
          '-',
          '{"__proto__":{}}',
          '1e999',
        ]),
      )
    default:
      return Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 0x80 : byte)))
  }
}
