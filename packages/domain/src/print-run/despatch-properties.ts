import type { PrintRunDespatchMethod } from './despatch-method.ts'
import { estimateWeightGrams, type PrintedOn } from './weight.ts'

export type DespatchProperty = { key: string; value: string }

/** Spec: a key has 1 to 50 characters, a value 1 to 255. */
export const despatchPropertyKeyCharactersMax = 50
export const despatchPropertyValueCharactersMax = 255

export type DespatchFacts = {
  despatchMethod: PrintRunDespatchMethod
  sheets: number
  producedAt: Date
  carrier: string
  handoverAt: Date
  manifestNumber?: string | undefined
  /** What the provider reported for the whole posting, and for this document. */
  ofPosting: readonly DespatchProperty[]
  ofDocument: readonly DespatchProperty[]
} & PrintedOn

/**
 * Returns the despatch properties of one document, each key once. Consumers require totalSheets, postageClass and
 * mailingProduct, all as text, and at least three items, so missing values are filled in. The provider's values for the
 * document override those for the posting, and both override ours.
 */
export function despatchProperties(facts: DespatchFacts): DespatchProperty[] {
  return mergeDespatchProperties(ownProperties(facts), facts.ofPosting, facts.ofDocument)
}

/** Merges the lists: each key once, in the order of its first occurrence, with its last value. */
export function mergeDespatchProperties(
  ...lists: (readonly DespatchProperty[])[]
): DespatchProperty[] {
  const properties = new Map<string, string>()
  for (const { key, value } of lists.flat()) properties.set(key, value)
  return [...properties].map(([key, value]) => ({ key, value }))
}

function ownProperties(facts: DespatchFacts): DespatchProperty[] {
  const { postageClass, mailingProduct } = postageOf(facts.despatchMethod)
  const own = {
    totalSheets: String(facts.sheets),
    postageClass,
    mailingProduct,
    productionRunDate: londonTime(facts.producedAt),
    weightGrams: String(estimateWeightGrams(facts.sheets, facts)),
    mailProvider: firstCharacters(facts.carrier),
    handoverAt: londonTime(facts.handoverAt),
    ...(facts.manifestNumber && { eManifestId: firstCharacters(facts.manifestNumber) }),
  }
  return Object.entries(own).map(([key, value]) => ({ key, value }))
}

// Only the provider knows whether a letter was sorted or had a Mailmark. Until it reports that, the letter counts as
// uncoded.
const postage = {
  FIRST: { postageClass: '1ST', mailingProduct: 'UNCODED' },
  SECOND: { postageClass: '2ND', mailingProduct: 'UNCODED' },
  ECONOMY: { postageClass: '2ND', mailingProduct: 'UNSORTEDE' },
  INTERNATIONAL_EU: { postageClass: 'INTERNATIONAL', mailingProduct: 'INT EU' },
  INTERNATIONAL_ROW: { postageClass: 'INTERNATIONAL', mailingProduct: 'INT ROW' },
  SPECIAL: { postageClass: 'SPECIAL', mailingProduct: 'SPECIAL DELIVERY' },
  INTERNAL: { postageClass: 'INTERNAL', mailingProduct: 'INTERNAL' },
} as const satisfies Record<
  PrintRunDespatchMethod,
  { postageClass: string; mailingProduct: string }
>

/** Returns the postage of a despatch method, in the words that consumers know. */
export function postageOf(despatchMethod: PrintRunDespatchMethod) {
  return postage[despatchMethod]
}

const london = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/London',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** Formats London time as consumers know it: `2024-08-01 09:15:14.456`. */
function londonTime(at: Date): string {
  const part = Object.fromEntries(london.formatToParts(at).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second, fractionalSecond } = part
  return `${year}-${month}-${day} ${hour}:${minute}:${second}.${fractionalSecond}`
}

function firstCharacters(text: string): string {
  return Array.from(text).slice(0, despatchPropertyValueCharactersMax).join('')
}
