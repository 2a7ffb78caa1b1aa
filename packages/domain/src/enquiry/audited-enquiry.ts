export const enquiryServices = ['vehicle-enquiry', 'full-driver-enquiry', 'driver-find'] as const
export type EnquiryService = (typeof enquiryServices)[number]

/** refused: the caller asked wrongly; failed: a source or we did. */
export const enquiryOutcomes = ['found', 'not-found', 'partial', 'refused', 'failed'] as const
export type EnquiryOutcome = (typeof enquiryOutcomes)[number]

/** What is kept of an enquiry: who asked for what and how it ended, and nothing of what was sent or answered. */
export type Enquiry = {
  consumerId: string
  service: EnquiryService
  /** Keyed hash of the normalised number; null when there was none, or none that could be read. */
  numberHash: Buffer | null
  outcome: EnquiryOutcome
  /** HTTP status of the answer. */
  status: number
  correlationId: string
  /** What the caller says it asks for: the X-Enquiry-Purpose header. */
  purpose: string | null
  /** Names and choices of the request, such as `includeCPC`: never a value that somebody typed. */
  asked: readonly string[]
  /** How many a search gave. */
  results: number | null
}

/** How an enquiry ended: an answer that refuses says so by its status, any other as its operation says. */
export function outcomeOf(status: number, told: EnquiryOutcome = 'found'): EnquiryOutcome {
  if (status >= 500) return 'failed'
  if (status === 404) return 'not-found'
  if (status >= 400) return 'refused'
  return told
}

const purpose = /^[A-Za-z0-9 _.:/-]{1,64}$/
export const purposePattern = purpose.source

/** Whether a caller may name a purpose so: a word or a reference, too short to tell of anybody. */
export function isEnquiryPurpose(text: string): boolean {
  return purpose.test(text)
}
