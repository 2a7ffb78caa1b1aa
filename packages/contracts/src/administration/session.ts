import { roles } from '@despatch/domain/access/caller'
import { z } from 'zod'
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
  endsAt: z.iso.datetime().describe('When the session ends and the console asks to sign in again'),
})
export type SessionResponse = z.output<typeof sessionSchema>

type SignedIn = {
  consumer: Pick<SessionResponse, 'userName' | 'name' | 'roles'> & { id: string }
  endsAt: Date
}

/** Renders the session of a signed-in user. */
export function renderSession(
  { consumer, endsAt }: SignedIn,
  environment: Environment,
): SessionResponse {
  const { id: consumerId, userName, name, roles } = consumer
  return { consumerId, userName, name, roles, environment, endsAt: endsAt.toISOString() }
}
