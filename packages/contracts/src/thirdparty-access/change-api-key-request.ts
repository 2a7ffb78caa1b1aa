import { z } from 'zod'

/** The specification has no body for this request, so it may be absent. */
export const changeApiKeyRequestSchema = z
  .object({
    endTokens: z
      .boolean()
      .optional()
      .describe('Whether JWTs that were issued before are refused. Default: false'),
  })
  .nullish()
