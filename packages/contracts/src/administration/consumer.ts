import { roles, serviceNames } from '@despatch/domain/access/caller'
import { networkCharactersMax, networksMax, parseNetwork } from '@despatch/domain/access/networks'
import { isEmailAddress } from '@despatch/domain/access/user-name'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { signingSecretsSchema } from '../print-request/signing-secret.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, text } from '../text.ts'
import { contractSchema } from './contract.ts'

/** Visible ASCII only, because other scripts have letters that look the same. */
const userNamePattern = /^[!-~]+$/
const slugPattern = /^[a-z0-9-]+$/

export const ofConsumer = z.object({ consumerId: z.uuid() })

export const userName = text({ min: 3, max: 64, pattern: userNamePattern })

const email = text({ min: 3, max: 254 }).check(({ value, issues }) => {
  if (issues.length > 0 || isEmailAddress(value)) return
  issues.push(customIssue({ code: 'Email', message: 'must be an e-mail address' }, value))
})

/** Name of a usage plan or a print provider. */
export const slug = text({ min: 1, max: 64, pattern: slugPattern })

const rolesSchema = z.array(z.enum(roles)).min(1).max(roles.length)
const servicesSchema = z
  .array(z.enum(serviceNames))
  .max(serviceNames.length)
  .describe('Services that the consumer may use. The others refuse its requests')

const network = text({ min: 1, max: networkCharactersMax }).check(({ value, issues }) => {
  if (issues.length > 0 || parseNetwork(value)) return
  const message = 'must be a network by its first address, such as 203.0.113.0/24 or 2001:db8::/32'
  issues.push(customIssue({ code: 'InvalidFormat', message }, value))
})
const networksSchema = z
  .array(network)
  .max(networksMax)
  .describe('Networks from which the consumer may call and sign in. Empty: from everywhere')

export const createConsumerSchema = z.object({
  userName,
  name: text({ min: 1, max: 255 }).describe('Name of the organisation'),
  email: email.exactOptional().describe('Address to which password recovery codes are sent'),
  roles: rolesSchema.default(['consumer']),
  providerId: slug.exactOptional().describe('Required with the provider role'),
  services: servicesSchema
    .exactOptional()
    .describe('Defaults to print-request with the consumer role, and to none without it'),
  usagePlan: slug.default('standard'),
})
export type CreateConsumerRequest = z.input<typeof createConsumerSchema>

export const setRolesSchema = z.object({
  roles: rolesSchema,
  providerId: slug.exactOptional().describe('Required with the provider role'),
})
export const setServicesSchema = z.object({ services: servicesSchema })
export const setUsagePlanSchema = z.object({ usagePlan: slug })
export const setNetworksSchema = z.object({ networks: networksSchema })

export const consumerSchema = z.object({
  consumerId: z.uuid(),
  userName: z.string(),
  name: z.string(),
  email: ifKnown(z.string()),
  roles: z.array(z.enum(roles)),
  providerId: ifKnown(z.string()),
  services: z.array(z.string()),
  usagePlan: z.string(),
  networks: z.array(z.string()).describe(networksSchema.description!),
  apiKeyPrefix: z.string().describe('Start of the API key, to distinguish keys'),
  apiKeyChangedAt: storedTime.describe('When the API key was created'),
  apiKeyExpiry: z.iso
    .date()
    .describe('Last day on which the API key works; 9999-12-31 if the account has none'),
  passwordChangedAt: storedTime.describe('When the password was set'),
  passwordExpiry: z.iso
    .date()
    .describe('Last day on which the password works; 9999-12-31 if the account has none'),
  createdAt: storedTime,
  disabledAt: ifKnown(storedTime).describe('Absent while the consumer is enabled'),
})
export type ConsumerResponse = z.output<typeof consumerSchema>

const shownOnce = 'Returned only in this response'
const password = z.string().describe(shownOnce)
const apiKey = z.string().describe(shownOnce)

export const createdConsumerSchema = consumerSchema.extend({ password, apiKey })
export type CreatedConsumerResponse = z.output<typeof createdConsumerSchema>

export const consumerDetailsSchema = consumerSchema.extend({
  contracts: z.array(contractSchema),
  signingSecrets: signingSecretsSchema.shape.signingSecrets.describe(
    'Secrets that sign the callbacks now, masked, newest first',
  ),
})
export type ConsumerDetailsResponse = z.output<typeof consumerDetailsSchema>

/** Who replaces a credential repeats its own sign-in. */
export const repeatedSignInSchema = z
  .object({
    password: z
      .string()
      .max(1_024)
      .exactOptional()
      .describe(
        'Your own password. Required unless the OpenID provider authenticated you again within the last 5 minutes',
      ),
  })
  .nullish()

export const rotatedApiKeySchema = z.object({
  apiKey,
  apiKeyExpiry: consumerSchema.shape.apiKeyExpiry,
})
export type RotatedApiKeyResponse = z.output<typeof rotatedApiKeySchema>

export const resetPasswordSchema = z.object({
  password,
  passwordExpiry: consumerSchema.shape.passwordExpiry,
})
export type ResetPasswordResponse = z.output<typeof resetPasswordSchema>

export const consumersQuerySchema = z.object({
  userName: userName.exactOptional().describe('Only the consumer with this user name'),
  ...pageQuery,
})
export const consumersSchema = z.object({
  consumers: z.array(consumerSchema).describe('By user name'),
  nextCursor,
})
export type ConsumersResponse = z.output<typeof consumersSchema>

export type ListedConsumer = z.input<typeof consumerSchema>
