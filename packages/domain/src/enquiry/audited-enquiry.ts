export const enquiryServices = ['vehicle-enquiry', 'full-driver-enquiry', 'driver-find'] as const
export type EnquiryService = (typeof enquiryServices)[number]

/** refused: a violation by the caller. failed: a fault of a source or of ours. */
export const enquiryOutcomes = ['found', 'not-found', 'partial', 'refused', 'failed'] as const
export type EnquiryOutcome = (typeof enquiryOutcomes)[number]

/**
 * The audit row of an enquiry: who requested what, and the outcome. It contains nothing of what was sent or returned.
 */
export type Enquiry = {
  consumerId: string
  service: EnquiryService
  /** Keyed hash of the normalised number; null if there was no number, or no readable one. */
  numberHash: Buffer | null
  outcome: EnquiryOutcome
  /** HTTP status of the answer. */
  status: number
  correlationId: string
  /** The caller's purpose, from the X-Enquiry-Purpose header. */
  purpose: string | null
  /** Parameter names and choices of the request, such as `includeCPC`. Never a value that somebody typed. */
  asked: readonly string[]
  /** The number of results of a search. */
  results: number | null
}

/**
 * Returns the outcome of an enquiry. An error status decides it; otherwise it is what the operation reported in `reported`.
 */
export function outcomeOf(status: number, reported: EnquiryOutcome = 'found'): EnquiryOutcome {
  if (status >= 500) return 'failed'
  if (status === 404) return 'not-found'
  if (status >= 400) return 'refused'
  return reported
}

const purpose = /^[A-Za-z0-9 _.:/-]{1,64}$/
export const purposePattern = purpose.source

/** Whether the text is valid as a purpose: a word or a reference, too short to identify a person. */
export function isEnquiryPurpose(text: string): boolean {
  return purpose.test(text)
}
