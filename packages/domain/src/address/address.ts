/** Spec: the four kinds of address; a print job has exactly one. Field names are those of the interface. */
export type Address =
  | { structuredAddress: StructuredAddress }
  | { unstructuredAddress: UnstructuredAddress }
  | { bfpoAddress: BfpoAddress }
  | { internationalAddress: InternationalAddress }

export const structuredAddressFields = [
  'poBoxNumber',
  'organisationName',
  'departmentName',
  'subBuildingName',
  'buildingName',
  'buildingNumber',
  'dependentThoroughfareName',
  'thoroughfareName',
  'doubleDependentLocality',
  'dependentLocality',
  'postTown',
  'postcode',
  'country',
  'language',
  'dps',
  'uprn',
  'udprn',
] as const

/** Postal address file fields, all optional. */
export type StructuredAddress = {
  [field in (typeof structuredAddressFields)[number]]?: string | null
}

export type UnstructuredAddress = {
  line1: string
  line2?: string
  line3?: string
  line4?: string
  line5?: string
  postcode: string
  dps?: string
}

export type BfpoAddress = {
  line1: string
  line2?: string | null
  line3?: string | null
  line4?: string | null
  bfpoNumber: number
  postcode?: string
  language?: string | null
  country?: string | null
}

export type InternationalAddress = {
  line1: string
  line2?: string
  line3?: string
  line4?: string
  line5?: string
  country: string
}

/** Spec: the print-ready address. Lines have at most 45 characters, the postcode at most 8. */
export type PrintableAddress = {
  line1: string
  line2?: string
  line3?: string
  line4?: string
  line5?: string
  recipientLine1: string
  recipientLine2: string
  postcode?: string
  dps: string | null
}
