import { mailFormats } from './mail-format.ts'

/** The type of the value of a well-known key. On the wire it is always text. */
type DespatchPropertyType =
  | { kind: 'text' }
  /** 1 to 999,999 without leading zeros. */
  | { kind: 'whole-number' }
  /** Up to 999,999, with at most three digits after the point. */
  | { kind: 'decimal' }
  /** `2026-01-31 17:30:00.000` is London time, as in our own values; `2026-01-31T17:30:00Z` names its offset. */
  | { kind: 'date-time' }
  /** `true` or `false`. */
  | { kind: 'boolean' }
  | { kind: 'one-of'; values: readonly string[] }

export type RegisteredDespatchProperty = {
  type: DespatchPropertyType
  meaning: string
  /** `despatch`: Despatch fills it in if the provider leaves it out, so that it is always present. */
  filledBy: 'despatch' | 'provider'
  /** Consumers refuse a DESPATCHED callback without it. */
  isRequired?: true
}

/** The well-known keys. Any other key is allowed too; its value is free text. */
export const despatchPropertyRegistry = {
  totalSheets: {
    type: { kind: 'whole-number' },
    meaning: 'sheets of paper in the envelope',
    filledBy: 'despatch',
    isRequired: true,
  },
  postageClass: {
    type: { kind: 'one-of', values: ['1ST', '2ND', 'INTERNATIONAL', 'SPECIAL', 'INTERNAL'] },
    meaning: 'how fast the letter travels; consumers know the first three values',
    filledBy: 'despatch',
    isRequired: true,
  },
  mailingProduct: {
    type: {
      kind: 'one-of',
      values: [
        'UNCODED',
        'MM UNSORTED',
        'UNSORTED',
        'MM',
        'INT EU',
        'INT ROW',
        'UNSORTEDE',
        'MM ECONOMY',
        'SPECIAL DELIVERY',
        'INTERNAL',
      ],
    },
    meaning: "the carrier's product; MM is Mailmark, sorted unless the name says otherwise",
    filledBy: 'despatch',
    isRequired: true,
  },
  productionRunDate: {
    type: { kind: 'date-time' },
    meaning: 'time at which the production of the print run began',
    filledBy: 'despatch',
  },
  weightGrams: {
    type: { kind: 'decimal' },
    meaning:
      'weight of the letter in grams; by default estimated from the paper and envelopes of its site',
    filledBy: 'despatch',
  },
  mailProvider: {
    type: { kind: 'text' },
    meaning: 'carrier that took the letter',
    filledBy: 'despatch',
  },
  handoverAt: {
    type: { kind: 'date-time' },
    meaning: 'time at which the carrier took the letter',
    filledBy: 'despatch',
  },
  eManifestId: {
    type: { kind: 'text' },
    meaning:
      "electronic manifest of the carrier; by default the posting's manifestNumber, if present",
    filledBy: 'despatch',
  },
  docketNumber: {
    type: { kind: 'text' },
    meaning: "the carrier's docket, if it differs from the electronic manifest",
    filledBy: 'provider',
  },
  format: {
    type: { kind: 'one-of', values: mailFormats },
    meaning: 'postal format of the letter',
    filledBy: 'provider',
  },
  machinable: {
    type: { kind: 'boolean' },
    meaning: 'whether the carrier sorts the letter by machine',
    filledBy: 'provider',
  },
  sortSelection: {
    type: { kind: 'text' },
    meaning: "the carrier's sort selection for the letter",
    filledBy: 'provider',
  },
  supplyChainId: {
    type: { kind: 'text' },
    meaning: 'Mailmark supply chain of the posting',
    filledBy: 'provider',
  },
  mailmarkItemId: {
    type: { kind: 'text' },
    meaning: 'the item number in its Mailmark; a return may identify the letter by it',
    filledBy: 'provider',
  },
  trayId: {
    type: { kind: 'text' },
    meaning: 'the tray or bag in which it was handed over',
    filledBy: 'provider',
  },
  trackingNumber: {
    type: { kind: 'text' },
    meaning: "the carrier's number for tracking the letter",
    filledBy: 'provider',
  },
} as const satisfies Record<string, RegisteredDespatchProperty>
type DespatchPropertyKey = keyof typeof despatchPropertyRegistry

/**
 * Returns why a value does not fit its well-known key, to follow the words "the value"; undefined if it fits or the key
 * is free.
 */
export function despatchPropertyFault(key: string, value: string): string | undefined {
  const registered = findRegistered(key)
  if (!registered || fits(registered.type, value)) return
  return `must be ${describeDespatchPropertyType(registered.type)} for the key ${key}`
}

function findRegistered(key: string): RegisteredDespatchProperty | undefined {
  return Object.hasOwn(despatchPropertyRegistry, key)
    ? despatchPropertyRegistry[key as DespatchPropertyKey]
    : undefined
}

const wholeNumber = /^[1-9]\d{0,5}$/
const decimal = /^(0|[1-9]\d{0,5})(\.\d{1,3})?$/
const londonTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,3})?$/
const timeWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

function fits(type: DespatchPropertyType, value: string): boolean {
  switch (type.kind) {
    case 'text':
      return true
    case 'whole-number':
      return wholeNumber.test(value)
    case 'decimal':
      return decimal.test(value)
    case 'date-time':
      return (londonTime.test(value) || timeWithOffset.test(value)) && isOfCalendar(value)
    case 'boolean':
      return value === 'true' || value === 'false'
    case 'one-of':
      return type.values.includes(value)
  }
}

/** JavaScript would accept 31 February as a day in March. */
function isOfCalendar(value: string): boolean {
  const wall = `${value.slice(0, 10)}T${value.slice(11, 19)}.000Z`
  const at = new Date(wall)
  return !Number.isNaN(at.getTime()) && at.toISOString() === wall
}

export function describeDespatchPropertyType(type: DespatchPropertyType): string {
  switch (type.kind) {
    case 'text':
      return 'text'
    case 'whole-number':
      return 'the text of a whole number from 1 to 999999'
    case 'decimal':
      return 'the text of a number below a million with at most three decimals'
    case 'date-time':
      return 'a date and time such as 2026-01-31 17:30:00.000 (London) or 2026-01-31T17:30:00Z'
    case 'boolean':
      return 'true or false'
    case 'one-of':
      return `one of ${type.values.join(', ')}`
  }
}
