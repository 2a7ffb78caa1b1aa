import type {
  CategoryType,
  DisqualificationType,
  Gender,
  LicenceStatus,
  LicenceStatusQualifier,
  LicenceType,
} from './values.ts'

/**
 * The stored record of a driver, with the member names of the interface. One row of an import has the same shape.
 * Unknown members are left out. Dates are YYYY-MM-DD.
 */
export type DriverRecord = {
  driver: Driver
  licence: Licence
  entitlement: Entitlement[]
  /** Empty if the driver has none. */
  endorsements: Endorsement[]
  token: Token
  cpcs?: Cpc[]
  testPass?: TestPass[]
  tachoCards?: TachoCard[]
  /** True: a tachograph card is held under a previous driving licence number. */
  tachoUnderPreviousDln?: boolean
  previousDrivingLicences?: PreviousDrivingLicence[]
  /** A JPEG in base64. */
  photograph?: string
}

export type Driver = {
  drivingLicenceNumber: string
  firstNames?: string
  lastName: string
  gender: Gender
  dateOfBirth: string
  address?: { unstructuredAddress: DriverAddress }
  disqualifiedForLife?: true
  disqualifiedPendingSentence?: true
  /** The day on which a disqualification ends. */
  disqualifiedUntil?: string
}

export type DriverAddress = {
  line1?: string
  line2?: string
  line3?: string
  line4?: string
  line5?: string
  postcode?: string
}

export type Licence = {
  type: LicenceType
  status: LicenceStatus
  statusQualifier?: LicenceStatusQualifier
}

export type Entitlement = {
  categoryCode: string
  /** Stored only if it differs from the text of the code. */
  categoryLegalLiteral?: string
  categoryType: CategoryType
  fromDate?: string
  expiryDate?: string
  restrictions?: Restriction[]
}

export type Restriction = {
  restrictionCode: string
  /** Stored only if it differs from the text of the code. */
  restrictionLiteral?: string
}

export type Endorsement = {
  offenceCode?: string
  /** Stored only if it differs from the text of the code. */
  offenceLegalLiteral?: string
  offenceDate?: string
  convictionDate?: string
  sentenceDate?: string
  penaltyPoints?: number
  penaltyPointsExpiryDate?: string
  disqualification?: Disqualification
  disqualificationRemovalDate?: string
  disqualificationReimposedDate?: string
  disqualificationSuspendedPendingAppealDate?: string
  /** Deprecated in the interface: the same as in `disqualification`. */
  disqualifiedPendingSentence?: boolean
}

export type Disqualification = {
  forLife?: boolean
  years?: number
  months?: number
  days?: number
  startDate?: string
  disqualifiedPendingSentence?: boolean
  disqualificationType?: DisqualificationType
}

export type Token = { validFromDate?: string; validToDate?: string; issueNumber?: string }

/** A certificate of professional competence. */
export type Cpc = {
  lgvValidTo?: string
  pcvValidTo?: string
  /** True: valid only in the United Kingdom. */
  national?: boolean
}

export type TestPass = {
  categoryCode?: string
  categoryLegalLiteral?: string
  testDate?: string
  status?: string
  withAutomaticTransmission?: boolean
}

export type TachoCard = {
  cardNumber?: string
  cardStatus?: string
  cardExpiryDate?: string
  cardStartOfValidityDate?: string
}

/** Another number that the driver had, with the details of that licence. */
export type PreviousDrivingLicence = {
  drivingLicenceNumber: string
  firstNames?: string
  lastName: string
  dateOfBirth?: string
}
