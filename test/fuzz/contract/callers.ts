import { authenticate } from '../../stack/a-caller.ts'
import type { Credential, Credentials } from '../../stack/start-despatch.ts'
import type { Operation } from './operations.ts'

export type CallerName = 'consumer' | 'provider' | 'operator'

/** The sender of a request. Its token is renewed during a run. Its API key changes when a request rotates it. */
export type Caller = Credential & { name: CallerName; token: string }
export type Callers = Readonly<Record<CallerName, Caller>>

export const callerNames = ['consumer', 'provider', 'operator'] as const

export async function signIn(credentials: Credentials): Promise<Callers> {
  const callers = callerNames.map((name) => ({ ...credentials[name], name, token: '' }))
  await renewTokens(callers, credentials.baseUrl)
  return Object.fromEntries(callers.map((caller) => [caller.name, caller])) as Callers
}

export async function renewTokens(callers: readonly Caller[], baseUrl: string): Promise<void> {
  for (const caller of callers) caller.token = await authenticate(baseUrl, caller)
}

/** A change of the key with `endTokens` ends the caller's token. */
export async function useKey(caller: Caller, apiKey: string, baseUrl: string): Promise<void> {
  caller.apiKey = apiKey
  await renewTokens([caller], baseUrl)
}

/** Returns the caller to whom the operation belongs. */
export function callerOf({ api }: Operation): CallerName {
  if (api === 'administration') return 'operator'
  return api === 'fulfilment' ? 'provider' : 'consumer'
}
