import { roles } from '@despatch/domain/access/caller'
import { repeatedUntil } from '@despatch/domain/access/repeated-sign-in'
import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'

export const createSessionSchema = z.object({
  userName: text({ min: 1, max: 255 }),
  // No rule on the characters: generated passwords use every printable one.
  password: text({ min: 1, max: 1_024 }),
})

export const environments = ['production', 'uat'] as const
export type Environment = (typeof environments)[number]

export const sessionSchema = z.object({
  consumerId: z.string(),
  userName: z.string(),
  name: z.string(),
  roles: z.array(z.enum(roles)),
  environment: z
    .enum(environments)
    .describe('uat: the test environment. Nothing is real post in it'),
  endsAt: storedTime.describe('When the session ends and the console asks to sign in again'),
  repeatedUntil: ifKnown(storedTime).describe(
    'Until when the session may replace credentials, after a repeated sign-in by the OpenID provider',
  ),
})
export type SessionResponse = z.output<typeof sessionSchema>

export const signInMethodsSchema = z.object({
  localAccounts: z
    .boolean()
    .describe('Whether operators may sign in with a user name and a password'),
  oidc: z
    .object({ name: z.string() })
    .optional()
    .describe('The OpenID provider, by its name for operators. Absent if none is set up'),
})
export type SignInMethodsResponse = z.output<typeof signInMethodsSchema>

export const beginOidcSignInSchema = z
  .object({
    again: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the provider must authenticate the person even if it has a session (max_age=0). The session of the ' +
          'console may then replace credentials for 5 minutes',
      ),
  })
  .nullish()

export const oidcSignInSchema = z.object({
  authorizationUrl: z
    .url()
    .describe('Address at the OpenID provider to which the browser must go. It expires'),
})
export type OidcSignInResponse = z.output<typeof oidcSignInSchema>

const parameter = text({ min: 1, max: 4_096 })
export const oidcResponseSchema = z.object({
  state: parameter,
  code: parameter.exactOptional(),
  iss: parameter.exactOptional(),
  error: parameter.exactOptional(),
})

export const endedOidcSessionSchema = z.object({
  endSessionUrl: z
    .url()
    .describe('Address at the OpenID provider to which the browser must go to sign out there'),
})
export type EndedOidcSessionResponse = z.output<typeof endedOidcSessionSchema>

type SignedIn = {
  consumer: Pick<SessionResponse, 'userName' | 'name' | 'roles'> & { id: string }
  endsAt: Date
  authenticatedAt?: Date
}

/** Renders the session of a signed-in user. */
export function renderSession(
  { consumer, endsAt, authenticatedAt }: SignedIn,
  environment: Environment,
) {
  const { id: consumerId, userName, name, roles } = consumer
  return {
    consumerId,
    userName,
    name,
    roles,
    environment,
    endsAt,
    repeatedUntil: authenticatedAt ? repeatedUntil(authenticatedAt) : null,
  }
}
