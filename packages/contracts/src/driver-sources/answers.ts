import { z } from 'zod'

const date = z.iso.date()

/** A certificate of professional competence. */
export const cpcSchema = z.object({
  lgvValidTo: date.optional(),
  pcvValidTo: date.optional(),
  national: z.boolean().optional().describe('true: valid only in the United Kingdom'),
})

export const testPassSchema = z.object({
  categoryCode: z.string().optional(),
  categoryLegalLiteral: z.string().optional(),
  testDate: date.optional(),
  status: z.string().optional(),
  withAutomaticTransmission: z.boolean().optional(),
})

export const tachoCardSchema = z.object({
  cardNumber: z.string().optional(),
  cardStatus: z.string().optional(),
  cardExpiryDate: date.optional(),
  cardStartOfValidityDate: date.optional(),
})

/** What the source of CPC data returns for a driver. */
export const cpcAnswerSchema = z.object({
  cpcs: z.array(cpcSchema).describe('Empty when the driver has none'),
  testPass: z.array(testPassSchema).optional(),
})

/** What the source of tachograph data returns for a driver. */
export const tachographAnswerSchema = z.object({
  tachoCards: z.array(tachoCardSchema).describe('Empty when the driver has none'),
  tachoUnderPreviousDln: z.boolean().optional(),
})

export type CpcAnswer = z.output<typeof cpcAnswerSchema>
export type TachographAnswer = z.output<typeof tachographAnswerSchema>
