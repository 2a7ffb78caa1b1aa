import { wholeNumber } from '@despatch/config/shared-settings'
import { enquiryConfig } from '@despatch/enquiry/config'
import { z } from 'zod'

const sourceUrl = z
  .string()
  .regex(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
    'must start with http:// or https://, without user, query and fragment',
  )

export const fullDriverEnquiryConfig = enquiryConfig.extend({
  DESPATCH_CPC_URL: sourceUrl.describe('address of the source of CPC data'),
  DESPATCH_TACHOGRAPH_URL: sourceUrl.describe('address of the source of tachograph data'),
  DESPATCH_SOURCE_TOKEN: z
    .string()
    .regex(
      /^[\w.~+/=-]{16,}$/,
      'must be 16 or more letters, digits and characters of ._~+/=-: openssl rand -hex 32',
    )
    .describe('token shared by the sources and the full driver enquiry service'),
  DESPATCH_SOURCE_TIMEOUT_MS: wholeNumber({ min: 1, max: 25_000 })
    .default(2_000)
    .describe('timeout of a call to a source, in milliseconds'),
})
export type FullDriverEnquiryConfig = z.output<typeof fullDriverEnquiryConfig>
