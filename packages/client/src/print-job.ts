import type { Open } from './open.ts'

export type PrintJobStatus = Open<
  'QUARANTINE' | 'VALIDATING' | 'PENDING' | 'PRODUCTION' | 'DESPATCHED' | 'REJECTED'
>

/** Second class if absent. */
export type DespatchMethod = Open<
  'FIRST' | 'INTERNAL' | 'ECONOMY' | 'INTERNATIONAL_EU' | 'INTERNATIONAL_ROW' | 'SPECIAL'
>

export type StructuredAddress = {
  poBoxNumber?: string | null | undefined
  organisationName?: string | null | undefined
  departmentName?: string | null | undefined
  subBuildingName?: string | null | undefined
  buildingName?: string | null | undefined
  buildingNumber?: string | null | undefined
  dependentThoroughfareName?: string | null | undefined
  thoroughfareName?: string | null | undefined
  doubleDependentLocality?: string | null | undefined
  dependentLocality?: string | null | undefined
  postTown?: string | null | undefined
  postcode?: string | null | undefined
  country?: string | null | undefined
  language?: string | null | undefined
  dps?: string | null | undefined
  uprn?: string | null | undefined
  udprn?: string | null | undefined
}

/** Lines have at most 45 characters. */
export type UnstructuredAddress = {
  line1: string
  line2?: string | undefined
  line3?: string | undefined
  line4?: string | undefined
  line5?: string | undefined
  postcode: string
  dps?: string | undefined
}

export type BfpoAddress = {
  line1: string
  line2?: string | null | undefined
  line3?: string | null | undefined
  line4?: string | null | undefined
  bfpoNumber: number
  postcode?: string | undefined
  language?: string | null | undefined
  country?: string | null | undefined
}

export type InternationalAddress = {
  line1: string
  line2?: string | undefined
  line3?: string | undefined
  line4?: string | undefined
  line5?: string | undefined
  country: string
}

/** Exactly one of four kinds. */
export type Address =
  | { structuredAddress: StructuredAddress }
  | { unstructuredAddress: UnstructuredAddress }
  | { bfpoAddress: BfpoAddress }
  | { internationalAddress: InternationalAddress }

/** Printed before the address by templates that support it. Lines have at most 45 characters. */
export type HandlingInstruction = {
  line1: string
  line2?: string | undefined
  line3?: string | undefined
  line4?: string | undefined
  line5?: string | undefined
  line6?: string | undefined
  line7?: string | undefined
}

export type StandardParams = {
  /** Agreed in advance, as is `templateReference`. */
  jobType: string
  templateReference: string
  /** Your reference. Print jobs can be listed by it. */
  businessIdentifier?: string | null | undefined
  /** Printed on two lines of 45 characters. */
  recipientName: string
  address: Address
  handlingInstruction?: HandlingInstruction | undefined
  despatchMethod?: DespatchMethod | undefined
}

/** A value that is a PDF or a picture in base64 is taken as a file, whose id is the key. */
export type CustomParam = { key: string; value: string }

export type CallbackParams = {
  target: string
  /** Sent as the `Authorization` header of the callback. Reads back as `********`. */
  authenticationHeader?: string | null | undefined
  retryParams?:
    | {
        enabled?: boolean | null | undefined
        /** In seconds, from 30 to 86,400. Default 10,800. */
        maxRetryWindow?: number | null | undefined
      }
    | undefined
}

export type PrintJobRequest = {
  /** Default: a new UUID. It must not contain personal information. */
  id?: string | undefined
  standardParams: StandardParams
  customParams?: CustomParam[] | undefined
  /** Files that `uploadFile` has sent. */
  fileParams?: { fileId: string; uploadId: string }[] | undefined
  callbackParams?: CallbackParams | undefined
  sendControl?:
    | {
        /** A day such as 2027-01-31. The letter is not printed before it begins in London. */
        notBefore?: string | undefined
        /** The letter is checked, but not printed until it is released. */
        hold?: boolean | undefined
      }
    | undefined
}

/** What is probably a mistake in a request, although its print job is accepted. */
export type Warning = {
  /** Such as `UnknownMember`. */
  code: string
  /** Path of the member. */
  title: string
  detail: string
}

export type PrintableAddress = {
  line1: string
  line2?: string | undefined
  line3?: string | undefined
  line4?: string | undefined
  line5?: string | undefined
  recipientLine1: string
  recipientLine2: string
  postcode?: string | undefined
  dps: string | null
}

export type DespatchProperty = { key: string; value: string }

export type PrintJob = {
  id: string
  standardParams: StandardParams
  customParams?: CustomParam[] | undefined
  callbackParams?: CallbackParams | undefined
  fileParams?: { fileId: string }[] | undefined
  status: PrintJobStatus
  comment?: string | undefined
  /** Number of the print run. */
  batchNumber?: string | undefined
  fulfilmentJobId?: string | undefined
  documentId?: string | undefined
  printLocation?: string | undefined
  serialNumber?: string | undefined
  despatchProperties?: DespatchProperty[] | undefined
  createdDate: string
  updatedDate: string
  printableAddress?: PrintableAddress | undefined
  /** The following members are only in the extended view. */
  expectedDespatchDate?: string | undefined
  /** Until then the print job can certainly be deleted. */
  cancellableUntil?: string | undefined
  heldSince?: string | undefined
  notBefore?: string | undefined
  addressOverriddenDate?: string | undefined
  /** When the personal data was removed. */
  purgedDate?: string | undefined
}

export type PrintJobFilter = {
  status?: PrintJobStatus | undefined
  /** Inclusive start of the range. */
  createdFrom?: string | undefined
  /** Exclusive end of the range. */
  createdTo?: string | undefined
  /** A complete `businessIdentifier`. It is part of the URL, which proxies may log. */
  reference?: string | undefined
  only?: Open<'held' | 'deleted'> | undefined
}

export type ListedPrintJob = {
  id: string
  status: PrintJobStatus
  jobType: string
  templateReference: string
  businessIdentifier?: string | undefined
  createdDate: string
  updatedDate: string
  batchNumber?: string | undefined
  heldSince?: string | undefined
  deletedDate?: string | undefined
  purgedDate?: string | undefined
}

/** What a check of the letter has found. */
export type Finding = {
  /** Such as `print-area`. */
  rule: string
  /** Such as `P403`. */
  number?: string | undefined
  /** A refusal is a reason to reject the letter, a note is for information. */
  severity: Open<'refusal' | 'note'>
  fileId?: string | undefined
  page?: number | undefined
  /** In millimetres from the top left corner of the page. */
  rectangle?: { x: number; y: number; width: number; height: number } | undefined
  measured?: { unit: MeasuredUnit; value: number | number[] } | undefined
  allowed?:
    | {
        unit: MeasuredUnit
        min?: number | number[] | undefined
        max?: number | number[] | undefined
      }
    | undefined
  detail: string
}

export type MeasuredUnit = Open<
  'mm' | 'pages' | 'sheets' | 'bytes' | 'pixels' | 'objects' | 'characters' | 'g' | 's'
>

/** What would happen to a print job. */
export type Validation = {
  verdict: Open<'accepted' | 'rejected'>
  comment?: string | undefined
  recipientLines: string[]
  printableAddress: PrintableAddress
  /** The despatch method by which the letter would be produced. SECOND: second class. */
  producedAs: Open<DespatchMethod | 'SECOND'>
  /** Present, as are `sheets` and `weightGrams`, if the print job would be accepted. */
  pages?: number | undefined
  sheets?: number | undefined
  weightGrams?: number | undefined
  /** Whether the files were scanned for viruses. */
  scanned: boolean
  findings: Finding[]
}
