import type { FieldKind } from './field-kind.ts'

/** The values that make the shortest and the longest letter of a template. */
export const extremes = ['shortest', 'longest'] as const

export type Extreme = (typeof extremes)[number]

const word = 'Llanfairpwllgwyngyll '

/**
 * Returns values of a field that fill the least or the most room: no optional fields and empty lists, or all of them, as
 * long as the schema allows.
 */
export function extremeValue(kind: FieldKind, extreme: Extreme): unknown {
  const isLong = extreme === 'longest'
  switch (kind.kind) {
    case 'text':
      return kind.choices
        ? longestOf(kind.choices, isLong)
        : textOf(isLong ? kind.lengthMax : Math.max(1, kind.lengthMin))
    case 'number':
      return numberOf(kind, isLong)
    case 'money':
      return isLong ? '-999999999999.99' : '0.00'
    case 'date':
      return isLong ? '2028-09-30' : '2027-05-01'
    case 'yes-or-no':
      return isLong
    case 'list':
      return Array.from({ length: isLong ? kind.lengthMax : kind.lengthMin }, () =>
        extremeValue(kind.items, extreme),
      )
    case 'group': {
      const { members, optional } = kind
      const names = Object.keys(members).filter((name) => isLong || !optional.includes(name))
      return Object.fromEntries(names.map((name) => [name, extremeValue(members[name]!, extreme)]))
    }
  }
}

/** The one with more digits, or the one that is nearest to 0. */
function numberOf({ least, most }: { least: number; most: number }, isLong: boolean): number {
  if (!isLong) return Math.min(Math.max(0, least), most)
  return String(least).length >= String(most).length ? least : most
}

function textOf(length: number): string {
  return word
    .repeat(Math.ceil(length / word.length))
    .slice(0, length)
    .trimEnd()
    .padEnd(length, 'W')
}

function longestOf(choices: readonly string[], isLong: boolean): string {
  const sorted = [...choices].sort((one, other) => one.length - other.length)
  return (isLong ? sorted.at(-1) : sorted[0])!
}
