import { allowsLocalAccounts } from '@despatch/config/shared-settings'
import { Problem } from '@despatch/domain/problem'
import { addToLogLine } from '@despatch/http/request-log'
import type { AdministrationConfig } from '../config.ts'
import { type AttemptCookie, createAttemptCookie } from './attempt-cookie.ts'
import { describeOidcFailure, type OidcFailure } from './failure.ts'
import { createOidcProvider, type OidcProvider } from './provider.ts'
import { type OidcSettings, oidcFrom } from './settings.ts'

/** Sign-in of operators by an OpenID provider. */
export type Oidc = {
  provider: OidcProvider
  attempts: AttemptCookie
  settings: Pick<OidcSettings, 'rolesClaim' | 'roleGrants'>
  /** Whether operators may also sign in with a user name and password. */
  allowsLocalAccounts: boolean
}

/** Returns undefined if no provider is set up. Throws a ConfigError if one is set up in part. */
export function openOidc(config: AdministrationConfig, now: () => Date): Oidc | undefined {
  const settings = oidcFrom(config)
  if (!settings) return undefined
  return {
    provider: createOidcProvider(settings),
    attempts: createAttemptCookie({
      secretKeyHex: config.DESPATCH_KEY_CONSOLE,
      previousKeysHex: config.DESPATCH_KEY_CONSOLE_PREVIOUS,
      now,
    }),
    settings,
    allowsLocalAccounts: allowsLocalAccounts(config),
  }
}

/** Returns the sign-in by a provider. Throws a Problem 'route-not-found' if none is set up. */
export function requireOidc(oidc: Oidc | undefined): Oidc {
  if (oidc) return oidc
  throw new Problem('route-not-found', 'No OpenID provider is set up')
}

type Request = Parameters<typeof addToLogLine>[0]

/** Calls the provider. Throws a Problem if it fails, and adds the reason to the log line. */
export async function callProvider<Result>(
  request: Request,
  { name }: OidcProvider,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const failure = describeOidcFailure(error, name)
    throw failure ? problemOf(request, failure) : error
  }
}

/** Returns the Problem of a failed sign-in, and adds the reason to the log line. */
export function problemOf(request: Request, { kind, code, detail }: OidcFailure): Problem {
  addToLogLine(request, { oidcFailure: code })
  return new Problem(kind, detail)
}
