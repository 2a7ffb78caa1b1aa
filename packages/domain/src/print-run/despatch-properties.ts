import type { PrintRunDespatchMethod } from './despatch-method.ts'
import { estimateWeightGrams } from './sheet-weight.ts'

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
  /** What the provider says of the whole posting, and of this document. */
  ofPosting: readonly DespatchProperty[]
  ofDocument: readonly DespatchProperty[]
}

/**
 * The despatch facts of one document, each key once. Consumers insist on totalSheets, postageClass and
 * mailingProduct, all as text, and on at least three items: what the provider leaves out is filled in.
 * What it says of the document goes before what it says of the posting, and both before ours.
 */
export function despatchProperties(facts: DespatchFacts): DespatchProperty[] {
  return mergeDespatchProperties(ownProperties(facts), facts.ofPosting, facts.ofDocument)
}

/** Each key once, in the order in which it first comes, with the value that is said last. */
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
    weightGrams: String(estimateWeightGrams(facts.sheets)),
    mailProvider: firstCharacters(facts.carrier),
    handoverAt: londonTime(facts.handoverAt),
    ...(facts.manifestNumber && { eManifestId: firstCharacters(facts.manifestNumber) }),
  }
  return Object.entries(own).map(([key, value]) => ({ key, value }))
}

// Only the provider knows that a letter went out sorted or with a Mailmark: until it says so, it is uncoded.
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

/** The postage that a despatch method stands for, in the words that consumers know. */
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

/** `2024-08-01 09:15:14.456` in London, as consumers know it. */
function londonTime(at: Date): string {
  const part = Object.fromEntries(london.formatToParts(at).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second, fractionalSecond } = part
  return `${year}-${month}-${day} ${hour}:${minute}:${second}.${fractionalSecond}`
}

function firstCharacters(text: string): string {
  return Array.from(text).slice(0, despatchPropertyValueCharactersMax).join('')
}
