import type { Address } from '../address/address.ts'

/** Spec: despatchMethod. Absent means second class inside the United Kingdom; abroad, see `producedMethodOf`. */
export const despatchMethods = [
  'FIRST',
  'INTERNAL',
  'ECONOMY',
  'INTERNATIONAL_EU',
  'INTERNATIONAL_ROW',
  'SPECIAL',
] as const
export type DespatchMethod = (typeof despatchMethods)[number]

/** Printed before the despatch address by templates that support it. Lines have at most 45 characters. */
export type HandlingInstruction = {
  line1: string
  line2?: string
  line3?: string
  line4?: string
  line5?: string
  line6?: string
  line7?: string
}

/** The members by which letters are made and found. Any others are kept as they were submitted. */
export type StandardParams = {
  jobType: string
  templateReference: string
  businessIdentifier?: string | null
  recipientName: string
  address: Address
  handlingInstruction?: HandlingInstruction
  despatchMethod?: DespatchMethod
}

const labelled = ['jobType', 'templateReference', 'businessIdentifier', 'despatchMethod']

/**
 * Returns the submitted params that have no label of their own where a print job is shown, by the words of their names:
 * `costCentre` as `cost centre`.
 */
export function otherParams(submitted: object = {}): Record<string, string> {
  const others = Object.entries(submitted).filter(
    ([name, value]) => value !== null && !labelled.includes(name),
  )
  const wordsOf = (name: string) =>
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return Object.fromEntries(others.map(([name, value]) => [wordsOf(name), String(value)]))
}

export type CustomParam = { key: string; value: string }

export type RetryParams = { enabled?: boolean | null; maxRetryWindow?: number | null }

export type CallbackParams = {
  target: string
  authenticationHeader?: string | null
  retryParams?: RetryParams
}
