import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { UnfitIdToken } from './check-id-token.ts'

/** Why a sign-in failed. `code` is for the log. `kind` is that of the Problem with which the request is refused. */
export type OidcFailure = {
  code: string
  kind: 'wrong-credentials' | 'unavailable'
  detail: string
}

const again = 'Sign in again.'

/** No sign-in of this browser waits for the response of the provider, or it waits for another response. */
export const foreignResponse = {
  code: 'foreign-response',
  kind: 'wrong-credentials',
  detail: `The sign-in has expired, or it began in another browser or tab. ${again}`,
} as const satisfies OidcFailure

/**
 * Returns why the OpenID provider, or the check of what it sent, failed; undefined if the error is a fault of ours.
 * The result contains nothing that the provider or the browser sent.
 */
export function describeOidcFailure(error: unknown, name: string): OidcFailure | undefined {
  if (error instanceof AuthorizationResponseError) {
    const detail =
      error.error === 'access_denied'
        ? `The sign-in was cancelled, or ${name} does not let you in.`
        : `The sign-in failed at ${name}. ${again}`
    return { code: 'refused-by-provider', kind: 'wrong-credentials', detail }
  }
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    const detail = `This sign-in was already used, or has expired. ${again}`
    return { code: 'invalid-grant', kind: 'wrong-credentials', detail }
  }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    if (error.status >= 500 || error.status === 429) return unavailable('server-error', name)
    const detail = `${name} does not accept Despatch as its client. Ask an administrator to check the settings.`
    return { code: 'client-refused', kind: 'unavailable', detail }
  }
  if (error instanceof ClientError) return describeClientError(error.code, name)
  if (error instanceof UnfitIdToken) {
    const code = error.claim === 'iat' ? clockFailure : 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
    return describeClientError(code, name)
  }
  // fetch reports a failed connection in this way
  if (error instanceof TypeError && error.message === 'fetch failed') {
    return unavailable('unreachable', name)
  }
  return undefined
}

const clockFailure = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'

function describeClientError(code = 'none', name: string): OidcFailure {
  switch (code) {
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return unavailable(code, name)
    case clockFailure:
      return {
        code,
        kind: 'unavailable',
        detail: `The clocks of Despatch and ${name} differ too much. Ask an administrator to correct them.`,
      }
    default:
      return {
        code,
        kind: 'wrong-credentials',
        detail: `The response of ${name} is not valid for this sign-in. ${again}`,
      }
  }
}

function unavailable(code: string, name: string): OidcFailure {
  return { code, kind: 'unavailable', detail: `${name} does not respond. Try again later.` }
}
