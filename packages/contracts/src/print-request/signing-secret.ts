import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { integer } from '../text.ts'

const maskedSecret = 'whsec_********'
const overlapSecondsDefault = 86_400
const overlapSecondsMax = 2_592_000

export const ofSigningSecret = z.object({ secretId: z.uuid() })

export const createSigningSecretSchema = z
  .object({
    overlapSeconds: integer({ min: 0, max: overlapSecondsMax })
      .default(overlapSecondsDefault)
      .describe('How long the previous secret also signs, in seconds'),
  })
  .nullish()
  .transform((request) => request ?? { overlapSeconds: overlapSecondsDefault })

const signingSecret = {
  secretId: z.string(),
  createdAt: storedTime,
  expiresAt: ifKnown(storedTime).describe('Until when it signs. Absent: until it is replaced'),
}

export const createdSigningSecretSchema = z.object({
  ...signingSecret,
  secret: z
    .string()
    .describe(
      'whsec_ followed by base64, as libraries of Standard Webhooks take it. Returned only once',
    ),
})
export type CreatedSigningSecretResponse = z.output<typeof createdSigningSecretSchema>

export const signingSecretsSchema = z.object({
  signingSecrets: z
    .array(z.object({ ...signingSecret, secret: z.literal(maskedSecret) }))
    .describe('The active secrets, newest first'),
})

/** Adds the mask that stands for the value of a secret. */
export function maskSecrets<Secret extends object>(secrets: readonly Secret[]) {
  return secrets.map((secret) => ({ ...secret, secret: maskedSecret }) as const)
}
