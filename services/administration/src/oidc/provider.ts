import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { checkIdToken } from './check-id-token.ts'
import { type Claims, claimOf, type Subject } from './claims.ts'
import type { OidcSettings } from './settings.ts'

const answerSecondsMax = 5
const clockToleranceSeconds = 30
const knownMsMax = 60 * 60 * 1000

/** What Despatch must know of a sign-in when the browser returns from the provider. Secret. */
export type OidcAttempt = {
  state: string
  nonce: string
  verifier: string
  /** When the sign-in began, in milliseconds, if the person must authenticate after that. */
  againSince?: number
}

/** The parameters with which the provider sends the browser back. */
type OidcResponse = {
  state: string
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

/** Signs operators in by an OpenID provider, with an authorization code, PKCE, a state and a nonce. */
export type OidcProvider = {
  name: string
  /**
   * Returns the address at the provider to which the browser must go, and what to keep until it returns. With `again`,
   * the provider must authenticate the person even if it has a session.
   */
  begin(options: { again: boolean }): Promise<{ url: URL; attempt: OidcAttempt }>
  /**
   * Redeems the code, and checks the signature of the ID token and all that it says. Returns when the person
   * authenticated, if the attempt required that.
   */
  finish(
    attempt: OidcAttempt,
    response: OidcResponse,
  ): Promise<Subject & { claims: Claims; authenticatedAt?: Date }>
  /** Returns the address at the provider that ends the session there, if there is one. It contains no token. */
  endSessionUrl(): Promise<URL | undefined>
}

/** The metadata of the provider is read when it is first needed, so that Despatch starts while the provider is away. */
export function createOidcProvider({
  issuer,
  clientId,
  clientSecret,
  consoleUrl,
  name,
  scopes,
  rolesClaim,
}: OidcSettings): OidcProvider {
  const redirectUri = `${consoleUrl}/sign-in`
  let known: { configuration: Promise<Configuration>; untilMs: number } | undefined

  function configure(): Promise<Configuration> {
    if (known && performance.now() < known.untilMs) return known.configuration
    const configuration = discovery(
      issuer,
      clientId,
      { [clockTolerance]: clockToleranceSeconds },
      authenticateBy(clientSecret),
      {
        timeout: answerSecondsMax,
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      },
    )
    const reading = { configuration, untilMs: performance.now() + knownMsMax }
    known = reading
    configuration.catch(() => {
      if (known === reading) known = undefined
    })
    return configuration
  }

  return {
    name,

    async begin({ again }) {
      const configuration = await configure()
      const attempt = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        ...(again && { againSince: Date.now() }),
      }
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(again && { max_age: '0' }),
      })
      return { url, attempt }
    },

    async finish({ state, nonce, verifier, againSince }, response) {
      const configuration = await configure()
      const returned = new URL(redirectUri)
      for (const [parameter, value] of Object.entries(response)) {
        if (value !== undefined) returned.searchParams.set(parameter, value)
      }
      const tokens = await authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        // Refuses an ID token without auth_time, and an authentication before the sign-in began, but for the tolerance
        // of the clocks.
        ...(againSince !== undefined && { maxAge: Math.ceil((Date.now() - againSince) / 1000) }),
      })
      const identity = tokens.claims()!
      checkIdToken(identity, {
        clientId,
        nowSeconds: Date.now() / 1000,
        toleranceSeconds: clockToleranceSeconds,
      })
      const subject = {
        issuer: identity.iss,
        subject: identity.sub,
        // A clock of the provider that is fast gives no more time.
        ...(againSince !== undefined && {
          authenticatedAt: new Date(Math.min(identity.auth_time! * 1000, Date.now())),
        }),
      }
      const { userinfo_endpoint: hasMore } = configuration.serverMetadata()
      if (claimOf(identity, rolesClaim) !== undefined || !hasMore) {
        return { ...subject, claims: identity }
      }
      const more = await fetchUserInfo(configuration, tokens.access_token, identity.sub)
      return { ...subject, claims: { ...more, ...identity } }
    },

    async endSessionUrl() {
      const configuration = await configure()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: redirectUri })
    },
  }
}

/** HTTP Basic is the default of OpenID Connect. Providers that do not offer it take the secret in the body. */
function authenticateBy(clientSecret: string): ClientAuth {
  const basic = ClientSecretBasic(clientSecret)
  const post = ClientSecretPost(clientSecret)
  return (server, ...rest) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (offered.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
