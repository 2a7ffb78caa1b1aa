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

export type StandardParams = {
  jobType: string
  templateReference: string
  businessIdentifier?: string | null
  recipientName: string
  address: Address
  handlingInstruction?: HandlingInstruction
  despatchMethod?: DespatchMethod
}

export type CustomParam = { key: string; value: string }

export type RetryParams = { enabled?: boolean | null; maxRetryWindow?: number | null }

export type CallbackParams = {
  target: string
  authenticationHeader?: string | null
  retryParams?: RetryParams
}
